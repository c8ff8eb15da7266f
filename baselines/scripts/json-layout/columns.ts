// Columns: the members of arrays and objects under each other.

import { Node } from "./reader";

export interface Choices {
  width: number;
  indent: number;
  tab: boolean;
  prefix: string;
  open: number;
  inline: number;
  fill: number;
  fill_least: number;
  table: number;
  gap: number;
  comma: "tight" | "column" | "mixed";
  numbers: "point" | "left" | "right" | "even";
  colon_first: boolean;
  inner_pad: boolean;
  outer_pad: boolean;
  comma_space: boolean;
  colon_space: boolean;
}

export interface Member {
  name: string;
  node: Node;
}

export class Style {
  readonly comma: string;
  readonly colon: string;

  constructor(readonly choices: Choices) {
    this.comma = choices.comma_space ? ", " : ",";
    this.colon = choices.colon_space ? ": " : ":";
  }

  pad(rank: number): string {
    return (rank > 1 ? this.choices.outer_pad : rank === 1 && this.choices.inner_pad) ? " " : "";
  }

  flat(node: Node): string {
    if (node.kind !== "array" && node.kind !== "object") {
      return node.text;
    }
    const inside = members(node).map((item) => (item.name ? item.name + this.colon : "") + this.flat(item.node));
    const pad = this.pad(node.rank);
    return brackets(node)[0] + pad + inside.join(this.comma) + pad + brackets(node)[1];
  }

  /** A name with its colon, padded to a length. */
  named(name: string, length: number): string {
    if (!name) {
      return "";
    }
    const padding = " ".repeat(length - name.length);
    return this.choices.colon_first ? name + this.colon + padding : name + padding + this.colon;
  }
}

export function members(node: Node): Member[] {
  return node.entries.flatMap((entry) => (entry.node ? [{ name: entry.name, node: entry.node }] : []));
}

export function brackets(node: Node): string {
  return node.kind === "array" ? "[]" : "{}";
}

type ColumnKind = "none" | "number" | "simple" | "array" | "object" | "mixed";

export class Column {
  readonly kind: ColumnKind;
  readonly depth: number; // of splitting
  readonly width: number;
  private readonly nameLength: number;
  private readonly inner: number;
  private readonly subs = new Map<string | number, Column>();
  private readonly pad: string;
  private readonly figures: Figures | null;

  /** limit: columns at this depth and deeper are not split. */
  constructor(private readonly style: Style, items: Member[], limit = Infinity, level = 0) {
    const nodes = items.map((item) => item.node);
    this.kind = kindOf(nodes);
    this.nameLength = Math.max(0, ...items.map((item) => item.name.length));
    if ((this.kind === "array" || this.kind === "object") && nodes.length > 1 && level < limit) {
      const parts = new Map<string | number, Member[]>();
      for (const node of nodes) {
        members(node).forEach((item, place) => {
          const key = this.kind === "array" ? place : item.name;
          parts.set(key, [...(parts.get(key) ?? []), item]);
        });
      }
      parts.forEach((values, key) => this.subs.set(key, new Column(style, values, limit, level + 1)));
    }
    const split = (this.kind === "array" || this.kind === "object") && nodes.length > 1 && level < limit;
    this.depth = split ? 1 + Math.max(0, ...[...this.subs.values()].map((sub) => sub.depth)) : 0;
    this.pad = style.pad(nodes.some((node) => node.rank > 1) ? 2 : 1);
    this.figures = this.kind === "number" ? new Figures(nodes, style.choices.numbers) : null;
    this.inner = this.measure(nodes);
    this.width = this.inner + (this.nameLength ? this.nameLength + style.colon.length : 0);
  }

  private measure(nodes: Node[]): number {
    if (this.figures) {
      return this.figures.width;
    }
    if (!this.subs.size) {
      return Math.max(0, ...nodes.map((node) => this.style.flat(node).length));
    }
    const widths = [...this.subs.values()].reduce((sum, sub) => sum + sub.width, 0);
    const inner = widths + (this.subs.size - 1) * this.style.comma.length + 2 + 2 * this.pad.length;
    return nodes.some((node) => node.kind === "null") ? Math.max(4, inner) : inner;
  }

  /** A cell with the comma that follows it, if any, at its place. */
  cell(item: Member, comma: string): string {
    const [value, padding] = this.value(item.node);
    const { comma: place } = this.style.choices;
    const behind = place === "column" || (place === "mixed" && this.kind === "number");
    return this.style.named(item.name, this.nameLength) + (behind ? value + padding + comma : value + comma + padding);
  }

  private value(node: Node): [string, string] {
    if (this.figures) {
      return this.figures.spelled(node);
    }
    const held = this.subs.size && node.kind !== "null";
    const text = held ? this.parts(node) : this.style.flat(node);
    return [text, " ".repeat(this.inner - text.length)];
  }

  private parts(node: Node): string {
    const own = new Map(members(node).map((item, place) => [this.kind === "array" ? place : item.name, item]));
    const keys = [...this.subs.keys()];
    const last = keys.reduce<number>((found, key, place) => (own.has(key) ? place : found), -1);
    const cells = keys.map((key, place) => {
      const sub = this.subs.get(key) as Column;
      const item = own.get(key);
      const gap = " ".repeat(place + 1 < keys.length ? this.style.comma.length : 0);
      return item ? sub.cell(item, place < last ? this.style.comma : gap) : " ".repeat(sub.width) + gap;
    });
    return brackets(node)[0] + this.pad + cells.join("") + this.pad + brackets(node)[1];
  }
}

function kindOf(nodes: Node[]): ColumnKind {
  const kinds = new Set(nodes.filter((node) => node.kind !== "null").map((node) => node.kind));
  if (!kinds.size) {
    return "none";
  }
  if ([...kinds].every((kind) => kind === "string" || kind === "word")) {
    return "simple";
  }
  const [first] = kinds;
  return kinds.size === 1 ? (first as ColumnKind) : "mixed";
}

/** The values of a column of numbers. */
class Figures {
  readonly width: number;
  private readonly way: Choices["numbers"];
  private readonly front: number;
  private readonly places: number = 0;

  constructor(nodes: Node[], way: Choices["numbers"]) {
    const numbers = nodes.filter((node) => node.kind === "number").map((node) => node.text);
    let texts = numbers;
    this.way = way;
    if (way === "even") {
      texts = numbers.map((text) => String(Number(text)));
      const odd = texts.some((text, at) => text.length > 16 || /[eI]/.test(text) || (text === "0" && /[1-9]/.test(numbers[at].split(/e/i)[0])));
      this.places = Math.max(0, ...texts.map((text) => (text.split(".")[1] ?? "").length));
      if (odd) {
        this.way = "left";
        texts = numbers;
      }
    }
    const nulls = nodes.some((node) => node.kind === "null") ? 4 : 0;
    this.front = Math.max(nulls, ...texts.map((text) => text.search(/[.eE]|$/)));
    const rest = Math.max(0, ...texts.map((text) => text.length - text.search(/[.eE]|$/)));
    const plain = this.way === "left" || this.way === "right";
    this.width = plain ? Math.max(nulls, ...texts.map((text) => text.length)) : this.front + rest;
  }

  /** The value with what is before it, and the padding behind it. */
  spelled(node: Node): [string, string] {
    let text = node.text;
    if (this.way === "right") {
      text = text.padStart(this.width);
    } else if (this.way === "even" && node.kind === "number") {
      text = Number(text).toFixed(this.places).padStart(this.width);
    } else if (this.way !== "left") {
      text = " ".repeat(this.front - text.search(node.kind === "null" ? /$/ : /[.eE]|$/)) + text;
    }
    return [text, " ".repeat(Math.max(0, this.width - text.length))];
  }
}
