// Sets a tree: flat, filled, as a table, or opened.

import { brackets, Choices, Column, Member, members, Style } from "./columns";
import { Document, Node } from "./reader";

interface Place {
  level: number;
  head: string; // name and colon as printed
  counted: number; // their length
  follows: boolean;
}

export class Layout {
  private readonly style: Style;
  private readonly lines: string[] = [];

  constructor(private readonly choices: Choices) {
    this.style = new Style(choices);
  }

  document(document: Document): string {
    this.blank(document.before);
    if (document.node) {
      this.set(document.node, { level: 0, head: "", counted: 0, follows: false });
      this.blank(document.after);
    }
    return this.lines.join("\n");
  }

  private blank(count: number): void {
    for (let number = 0; number < count; number++) {
      this.lines.push(this.choices.prefix.trimEnd());
    }
  }

  private line(level: number, text: string): void {
    const { prefix, tab, indent } = this.choices;
    this.lines.push((prefix + (tab ? "\t" : " ".repeat(indent)).repeat(level) + text).replace(/[ \t]+$/, ""));
  }

  private room(level: number): number {
    return this.choices.width - this.choices.prefix.length - level * this.choices.indent;
  }

  private set(node: Node, place: Place): void {
    const comma = place.follows ? this.style.comma : "";
    if (node.kind !== "array" && node.kind !== "object") {
      this.line(place.level, place.head + node.text + comma);
    } else if (this.isFlat(node, place)) {
      this.line(place.level, place.head + this.style.flat(node) + comma);
    } else {
      const inside = this.filled(node, place.level) ?? this.table(node, place.level);
      this.line(place.level, place.head + brackets(node)[0]);
      inside ? inside() : this.opened(node, place.level);
      this.line(place.level, brackets(node)[1] + comma);
    }
  }

  private isFlat(node: Node, place: Place): boolean {
    const length = place.counted + this.style.flat(node).length + (place.follows ? this.style.comma.length : 0);
    const allowed = place.level > this.choices.open && node.rank <= this.choices.inline && !node.blanks;
    return allowed && length <= this.room(place.level);
  }

  private filled(node: Node, level: number): (() => void) | null {
    const items = members(node);
    const { open, fill, fill_least: least } = this.choices;
    if (node.kind !== "array" || level <= open || node.rank > fill || items.length < Math.max(1, least) || node.blanks) {
      return null;
    }
    const column = new Column(this.style, items);
    const even = column.kind !== "mixed" && column.kind !== "none";
    const lengths = items.map((item) => (even ? column.width : this.style.flat(item.node).length));
    const average = even ? column.width : lengths.reduce((sum, length) => sum + length, 0) / items.length;
    if (least * (average + this.style.comma.length) > this.room(level + 1)) {
      return null;
    }
    return () => {
      let row = "";
      let left = this.room(level + 1);
      items.forEach((item, at) => {
        const comma = at + 1 < items.length ? this.style.comma : "";
        const takes = lengths[at] + comma.length;
        if (left < takes && row) {
          this.line(level + 1, row);
          row = "";
          left = this.room(level + 1);
        }
        row += even ? column.cell(item, comma) : this.style.flat(item.node) + comma;
        left -= takes;
      });
      this.line(level + 1, row);
    };
  }

  private table(node: Node, level: number): (() => void) | null {
    const items = members(node);
    const room = this.room(level + 1) - this.style.comma.length;
    const long = (item: Member): boolean =>
      (item.name ? item.name.length + this.style.colon.length : 0) + this.style.flat(item.node).length > room;
    if (level < this.choices.open || node.rank > this.choices.table + 1 || items.some((item) => item.node.blanks || long(item))) {
      return null;
    }
    let column = new Column(this.style, items);
    for (let depth = column.depth - 1; column.width > room && depth >= 0; depth--) {
      column = new Column(this.style, items, depth);
    }
    if (column.kind === "mixed" || column.width > room) {
      return null;
    }
    return () => this.each(node, (item, follows) => this.line(level + 1, column.cell(item, follows ? this.style.comma : "")));
  }

  private opened(node: Node, level: number): void {
    const items = members(node);
    const names = items.map((item) => item.name.length);
    const longest = Math.max(0, ...names);
    const leaves = items.filter((item) => item.node.kind !== "array" && item.node.kind !== "object");
    const widest = Math.max(0, ...leaves.map((item) => item.node.text.length));
    const { colon, comma } = this.style;
    const aligned =
      longest - Math.min(...names) <= this.choices.gap &&
      longest + colon.length + widest + comma.length <= this.room(level + 1);
    this.each(node, (item, follows) => {
      const length = aligned ? longest : item.name.length;
      const counted = item.name ? length + colon.length : 0;
      this.set(item.node, { level: level + 1, head: this.style.named(item.name, length), counted, follows });
    });
  }

  /** Print the members in turn, with the blank lines between them. */
  private each(node: Node, print: (item: Member, follows: boolean) => void): void {
    let left = members(node).length;
    for (const entry of node.entries) {
      if (entry.node) {
        print({ name: entry.name, node: entry.node }, --left > 0);
      } else {
        this.blank(entry.blank);
      }
    }
  }
}
