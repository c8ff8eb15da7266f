// Answers every question of a suite.

import { Choices } from "./columns";
import { Layout } from "./layout";
import { BadText, Document, Node, Reader } from "./reader";

declare const require: (name: string) => any;
declare const process: { argv: string[]; stderr: { write(text: string): void } };
declare const __dirname: string;

const fs = require("fs");
const path = require("path");

const DEFAULTS: Choices = {
  width: 120, indent: 4, tab: false, prefix: "", open: -1, inline: 2, fill: 2, fill_least: 3, table: 2, gap: 16,
  comma: "mixed", numbers: "point", colon_first: false, inner_pad: false, outer_pad: true, comma_space: true,
  colon_space: true,
};

function packed(node: Node): string {
  if (node.kind !== "array" && node.kind !== "object") {
    return node.text;
  }
  let text = node.kind === "array" ? "[" : "{";
  let first = true;
  for (const entry of node.entries) {
    if (entry.node) {
      text += (first ? "" : ",") + (entry.name ? entry.name + ":" : "") + packed(entry.node);
      first = false;
    } else {
      text += "\n".repeat(entry.blank + 1);
    }
  }
  return text + (node.kind === "array" ? "]" : "}");
}

function pack(document: Document): string {
  return document.node ? "\n".repeat(document.before) + packed(document.node) : "";
}

function answer(question: any): string {
  try {
    const document = new Reader(question.text, question.last_comma ?? false, question.blanks ?? false).document();
    const choices = { ...DEFAULTS, ...question };
    return (question.op === "pack" ? pack(document) : new Layout(choices).document(document)) || "(nothing)";
  } catch (error) {
    if (error instanceof BadText) {
      return "error: bad text";
    }
    throw error;
  }
}

const suite = process.argv[process.argv.indexOf("--cases-dir") + 1];
const root = path.join(__dirname, "..", "rcb_tests");
const out = path.join(root, "stdout", suite);
fs.mkdirSync(out, { recursive: true });
for (const file of fs.readdirSync(path.join(root, suite)).sort()) {
  if (!file.endsWith(".json")) {
    continue;
  }
  JSON.parse(fs.readFileSync(path.join(root, suite, file), "utf8")).cases.forEach((item: any, index: number) => {
    const name = `${file.slice(0, -5)}@${String(index).padStart(3, "0")}.txt`;
    try {
      fs.writeFileSync(path.join(out, name), answer(item.input) + "\n");
    } catch (error) {
      process.stderr.write(`${name}: ${error}\n`);
    }
  });
}
