//! As much JSON as the cases need, read with the standard library alone.

use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    pub fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(fields) => fields.get(name).unwrap_or(&Json::Null),
            _ => &Json::Null,
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }

    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    pub fn is_true(&self) -> bool {
        matches!(self, Json::Bool(true))
    }

    pub fn count(&self) -> Option<usize> {
        match self {
            Json::Number(number) => Some(*number as usize),
            _ => None,
        }
    }
}

pub struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

type Read<T> = Result<T, String>;

/// Read a whole document.
pub fn parse(text: &str) -> Read<Json> {
    Reader { text: text.as_bytes(), at: 0 }.value()
}

impl Reader<'_> {
    fn peek(&mut self) -> u8 {
        while self.at < self.text.len() && b" \t\r\n".contains(&self.text[self.at]) {
            self.at += 1;
        }
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn expect(&mut self, sign: u8) -> Read<()> {
        if self.peek() != sign {
            return Err(format!("no {} at {}", sign as char, self.at));
        }
        self.at += 1;
        Ok(())
    }

    /// Step over a comma, or over the end of a list or an object.
    fn is_over(&mut self, end: u8) -> Read<bool> {
        let sign = self.peek();
        self.at += 1;
        match sign {
            b',' => Ok(false),
            _ if sign == end => Ok(true),
            _ => Err(format!("neither comma nor end at {}", self.at)),
        }
    }

    fn value(&mut self) -> Read<Json> {
        match self.peek() {
            b'{' => self.object(),
            b'[' => self.items(),
            b'"' => Ok(Json::Text(self.string()?)),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'n' => self.word("null", Json::Null),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Read<Json> {
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Read<Json> {
        let start = self.at;
        while self.at < self.text.len() && b"+-.eE0123456789".contains(&self.text[self.at]) {
            self.at += 1;
        }
        let spelled = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        spelled.parse().map(Json::Number).map_err(|error| format!("{spelled:?}: {error}"))
    }

    fn object(&mut self) -> Read<Json> {
        let mut fields = BTreeMap::new();
        self.expect(b'{')?;
        if self.peek() == b'}' {
            self.at += 1;
            return Ok(Json::Object(fields));
        }
        loop {
            self.peek();
            let name = self.string()?;
            self.expect(b':')?;
            let value = self.value()?;
            fields.insert(name, value);
            if self.is_over(b'}')? {
                return Ok(Json::Object(fields));
            }
        }
    }

    fn items(&mut self) -> Read<Json> {
        let mut items = Vec::new();
        self.expect(b'[')?;
        if self.peek() == b']' {
            self.at += 1;
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value()?);
            if self.is_over(b']')? {
                return Ok(Json::List(items));
            }
        }
    }

    fn string(&mut self) -> Read<String> {
        self.expect(b'"')?;
        let mut units: Vec<u8> = Vec::new();
        loop {
            let sign = *self.text.get(self.at).ok_or("a text without an end")?;
            self.at += 1;
            match sign {
                b'"' => return String::from_utf8(units).map_err(|error| error.to_string()),
                b'\\' => {
                    let letter = self.escaped()?;
                    units.extend(letter.to_string().as_bytes());
                }
                _ => units.push(sign),
            }
        }
    }

    fn escaped(&mut self) -> Read<char> {
        let sign = *self.text.get(self.at).ok_or("a text without an end")?;
        self.at += 1;
        Ok(match sign {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let high = self.hex()?;
                if !(0xd800..0xdc00).contains(&high) {
                    return Ok(char::from_u32(high).unwrap_or('\u{fffd}'));
                }
                self.at += 2;
                let low = self.hex()?;
                char::from_u32(0x10000 + ((high - 0xd800) << 10) + low.wrapping_sub(0xdc00)).unwrap_or('\u{fffd}')
            }
            other => other as char,
        })
    }

    fn hex(&mut self) -> Read<u32> {
        let digits = self.text.get(self.at..self.at + 4).ok_or("half an escape")?;
        self.at += 4;
        let digits = std::str::from_utf8(digits).map_err(|error| error.to_string())?;
        u32::from_str_radix(digits, 16).map_err(|error| error.to_string())
    }
}
