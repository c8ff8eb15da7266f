// Reads the text: the tree keeps every spelling and, between members, the blank lines.

export type Kind = "number" | "string" | "word" | "null" | "array" | "object";

export interface Entry {
  blank: number; // blank lines in a series; 0 for a member
  name: string; // as spelled, with its quotes; empty in arrays
  node: Node | null;
}

export interface Node {
  kind: Kind;
  text: string; // of leaves
  entries: Entry[];
  rank: number;
  blanks: boolean; // whether it holds a blank line at any depth
}

export class BadText extends Error {}

export interface Document {
  before: number;
  node: Node | null; // null: white space only
  after: number;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f\u007f-\u009f]|\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;

export class Reader {
  private at = 0;

  constructor(private readonly text: string, private readonly lastComma: boolean, private readonly keep: boolean) {}

  document(): Document {
    const before = this.gap();
    if (this.at === this.text.length) {
      return { before: this.keep ? before : 0, node: null, after: 0 };
    }
    const node = this.value();
    const after = this.blank();
    if (this.at < this.text.length) {
      throw new BadText();
    }
    return { before: this.keep ? before : 0, node, after };
  }

  /** Skip white space and return its line ends. */
  private gap(): number {
    let ends = 0;
    for (; " \t\r\n".includes(this.text.charAt(this.at)) && this.at < this.text.length; this.at++) {
      ends += this.text[this.at] === "\n" ? 1 : 0;
    }
    return ends;
  }

  /** Skip white space behind a token and return its blank lines. */
  private blank(): number {
    const ends = this.gap();
    return this.keep ? Math.max(0, ends - 1) : 0;
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) {
      throw new BadText();
    }
    this.at += found[0].length;
    return found[0];
  }

  private is(sign: string): boolean {
    const found = this.text[this.at] === sign;
    this.at += found ? 1 : 0;
    return found;
  }

  private value(): Node {
    const sign = this.text.charAt(this.at);
    if (sign === "[" || sign === "{") {
      return this.holder(sign === "{");
    }
    const leaf = (kind: Kind, text: string): Node => ({ kind, text, entries: [], rank: 0, blanks: false });
    if (sign === '"') {
      return leaf("string", this.take(STRING));
    }
    if (/[a-z]/.test(sign)) {
      const word = this.take(WORD);
      return leaf(word === "null" ? "null" : "word", word);
    }
    return leaf("number", this.take(NUMBER));
  }

  private holder(object: boolean): Node {
    const close = object ? "}" : "]";
    const entries: Entry[] = [];
    let members = 0;
    const note = (): void => {
      const blank = this.blank();
      const last = entries[entries.length - 1];
      if (blank && last && !last.node) {
        last.blank += blank;
      } else if (blank) {
        entries.push({ blank, name: "", node: null });
      }
    };
    this.at++;
    note();
    while (!this.is(close)) {
      let name = "";
      if (object) {
        name = this.take(STRING);
        this.gap();
        this.take(/:/y);
        this.gap();
      }
      entries.push({ blank: 0, name, node: this.value() });
      members++;
      note();
      if (this.is(",")) {
        note();
        if (!this.lastComma && this.text[this.at] === close) {
          throw new BadText();
        }
      } else if (this.text[this.at] !== close) {
        throw new BadText();
      }
    }
    const nodes = entries.map((entry) => entry.node);
    return {
      kind: object ? "object" : "array",
      text: "",
      entries,
      rank: members ? 1 + Math.max(...nodes.map((node) => node?.rank ?? 0)) : 0,
      blanks: nodes.some((node) => node === null || node.blanks),
    };
  }
}
