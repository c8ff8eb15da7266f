//! A small reader for JSON, so that the adapter needs no second package.

use std::iter::Peekable;
use std::str::Chars;

/// A JSON value; objects keep their order.
#[derive(Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Read one whole document.
    pub fn read(text: &str) -> Result<Json, String> {
        let mut reader = Reader { rest: text.chars().peekable() };
        let value = reader.value()?;
        reader.blanks();
        match reader.rest.next() {
            None => Ok(value),
            Some(extra) => Err(format!("'{extra}' after the document")),
        }
    }

    /// Return a member of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Return the text of a string.
    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Return the items of a list.
    pub fn list(&self) -> Option<&[Json]> {
        match self {
            Json::List(items) => Some(items),
            _ => None,
        }
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        while self.rest.next_if(|c| matches!(c, ' ' | '\t' | '\n' | '\r')).is_some() {}
    }

    fn next(&mut self) -> Result<char, String> {
        self.rest.next().ok_or_else(|| "the document ends too early".to_string())
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        for wanted in word.chars() {
            let found = self.next()?;
            if found != wanted {
                return Err(format!("'{found}' in place of '{wanted}'"));
            }
        }
        Ok(())
    }

    fn value(&mut self) -> Result<Json, String> {
        self.blanks();
        match self.rest.peek().copied() {
            Some('{') => self.object(),
            Some('[') => self.items(),
            Some('"') => self.string().map(Json::Text),
            Some('t') => self.expect("true").map(|()| Json::Bool(true)),
            Some('f') => self.expect("false").map(|()| Json::Bool(false)),
            Some('n') => self.expect("null").map(|()| Json::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self) -> Result<Json, String> {
        self.expect("{")?;
        let mut members = Vec::new();
        loop {
            self.blanks();
            if members.is_empty() && self.rest.next_if_eq(&'}').is_some() {
                return Ok(Json::Object(members));
            }
            let name = self.string()?;
            self.blanks();
            self.expect(":")?;
            members.push((name, self.value()?));
            self.blanks();
            match self.next()? {
                ',' => {}
                '}' => return Ok(Json::Object(members)),
                other => return Err(format!("'{other}' in an object")),
            }
        }
    }

    fn items(&mut self) -> Result<Json, String> {
        self.expect("[")?;
        let mut items = Vec::new();
        loop {
            self.blanks();
            if items.is_empty() && self.rest.next_if_eq(&']').is_some() {
                return Ok(Json::List(items));
            }
            items.push(self.value()?);
            self.blanks();
            match self.next()? {
                ',' => {}
                ']' => return Ok(Json::List(items)),
                other => return Err(format!("'{other}' in a list")),
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.expect("\"")?;
        let mut text = String::new();
        loop {
            match self.next()? {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                plain => text.push(plain),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        Ok(match self.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => return self.code_point(),
            same => same,
        })
    }

    fn code_point(&mut self) -> Result<char, String> {
        let mut code = self.unit()?;
        if (0xD800..0xDC00).contains(&code) {
            self.expect("\\u")?;
            code = 0x10000 + ((code - 0xD800) << 10) + (self.unit()?.wrapping_sub(0xDC00) & 0x3FF);
        }
        char::from_u32(code).ok_or_else(|| "half a surrogate pair".to_string())
    }

    fn unit(&mut self) -> Result<u32, String> {
        let digits = (0..4).map(|_| self.next()).collect::<Result<String, _>>()?;
        u32::from_str_radix(&digits, 16).map_err(|_| format!("'\\u{digits}' is no code"))
    }

    fn number(&mut self) -> Result<Json, String> {
        let mut digits = String::new();
        while let Some(c) = self.rest.next_if(|c| matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')) {
            digits.push(c);
        }
        digits.parse().map(Json::Number).map_err(|_| format!("'{digits}' is no number"))
    }
}
