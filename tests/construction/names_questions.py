"""Witnesses and questions of a task made of inflection 0.5.1, as a model would write them."""

from __future__ import annotations

from typing import Any

WITNESSES: dict[str, tuple[dict[str, str], str]] = {
    "teens": ({"ranks-07": "11st\n", "ranks-10": "112nd\n", "ranks-09": "13rd\n"}, "ranks-08 far-ranks-02 far-ranks-03 far-ranks-04 far-ranks-05"),
    "negative_ranks": ({"ranks-13": "-21th\n", "ranks-11": "-1th\n"}, "ranks-12 ranks-14 far-ranks-06 far-ranks-07 far-ranks-08"),
    "plain_letters": ({"slugs-11": "malm\n", "slugs-13": "r-sk-bing\n"}, "slugs-12 slugs-14 odd-slugs-01 odd-slugs-02"),
    "kept_marks": ({"slugs-04": "with_some_dashes\n"}, "slugs-03 slugs-05 odd-slugs-03"),
    "joiner_edges": ({"slugs-06": "-leading-bad-characters\n", "slugs-08": "squeeze---separators\n"}, "slugs-07 odd-slugs-04 odd-slugs-06"),
    "empty_joiner": ({"slugs-09": "donald-e-knuth\n", "slugs-10": "squeezeit\n"}, "odd-slugs-05"),
    "final_id": ({"labels-04": "Employee id\n", "labels-05": "Old author id\n"}, "labels-01 odd-labels-01 odd-labels-02 odd-headings-02"),
    "small_rest": ({"labels-03": "Employee HTML\n"}, "odd-labels-03 odd-labels-04"),
    "apostrophes": ({"headings-04": "David'S Code\n"}, "headings-05 odd-headings-01 odd-headings-04"),
    "hyphen_headings": ({"headings-03": "X-Men Rise\n"}, "headings-02 odd-headings-03 odd-headings-05"),
    "cut_compounds": ({"headings-01": "Activerecord\n"}, "odd-headings-01"),
    "capital_runs": ({"snakes-05": "htmltidy\n", "snakes-07": "htmltidy_generator\n"}, "snakes-06 odd-snakes-01 odd-snakes-04 odd-snakes-05"),
    "digit_words": ({"snakes-03": "area_51_controller\n"}, "snakes-04 odd-snakes-02"),
    "compact_rest": ({"compacts-02": "SpecialGuest\n", "compacts-05": "camelCase\n"}, "odd-compacts-01 odd-compacts-02 odd-compacts-03"),
}  # fmt: skip
"""Id -> naive outputs by case, and further cases."""

EXAMPLES: dict[str, tuple[list[str], list[str], list[str]]] = {
    "teens": (
        ["Which ending do eleven, twelve and thirteen take in a rank?", "Is the ending of a rank decided by the last two digits in the teens?",
         "Does `rank` treat the teens as an exception?"],
        ["English has odd forms from eleven on. I would go by the final digit alone and print 1st, 2nd, 3rd endings there too; is that wrong for the teens?",
         "For twelve I could print nd by the general rule. Should the teens be different, also beyond a hundred?"],
        ["is it 11st or 11th?", "what do i print for 12, 12nd??", "113 -> 113rd or what", "so 512 is that th or nd"],
    ),
    "negative_ranks": (
        ["How is a negative number ranked?", "Does the sign of a number influence the ending of its rank?", "Is the minus printed in front of a rank?"],
        ["Numbers below zero may come in. I would refuse a negative rank with an error by default; what do you want there?",
         "A remainder of a negative number can itself be negative. I plan to ignore the minus when choosing the ending. Is that so?"],
        ["what about minus numbers, like -31?", "rank of -2 pls?", "does -1 get an ending at all", "below zero, any rank?"],
    ),
    "plain_letters": (
        ["How are accented letters written in a slug?", "What happens to non-ASCII letters that have no ASCII counterpart?", "Are diacritics removed in slugs?"],
        ["Addresses cannot hold foreign letters well. I would replace every letter with an accent by the joiner unless you want them plain; which is it?",
         "For umlauts I could write ae and oe by default. Do you want that, or just the letter without its dots?"],
        ["señor in an address -> senor?", "what becomes of é and ü", "łódź, keep the funny letters?", "chinese signs in a slug, drop em?"],
    ),
    "kept_marks": (
        ["Do hyphens and low lines of the text survive in a slug with another joiner?", "Are existing dashes replaced by the joiner?",
         "Is a typed low line kept in a slug?"],
        ["When the joiner is a low line, the text may still hold dashes. I would turn these existing dashes into the joiner as well; or do they stay?",
         "Names may have hyphens already. By default I leave such typed marks alone, whatever joins the words. All right?"],
        ["my-old_name with joiner + , what happens to - and _ ?", "do dashes that are already there stay", "a_b in a slug, does the _ turn into -",
         "well-read with joiner _ stays well-read?"],
    ),
    "joiner_edges": (
        ["Are leading and trailing joiners removed from a slug?", "Are several joiners in a row squeezed into one?", "What is done with joiners at the ends of a slug?"],
        ["Punctuation at the beginning would leave a joiner in front. I would trim it by default at both ends; do you agree?",
         "A blank, a dash and a blank give three joiners in a row. Should doubled joiners be collapsed, as I assume?"],
        ["??what now?? -> -what-now- or what-now", "hello!!! does it end in a dash", "a -- b gives how many dashes", "can a slug start with the joiner"],
    ),
    "empty_joiner": (
        ["What does a slug look like if `joiner` is empty?", "Is trimming done with a zero-length joiner?", "May the joiner be an empty string?"],
        ["The joiner might be given as an empty text. I would fall back to a dash in that case; or are the words simply run together?",
         "With no joiner at all I see nothing to squeeze or trim, so I would leave the ends alone. Is that your wish?"],
        ["joiner \"\" for Ann Lee -> annlee?", "blank joiner, what then", "no joiner given but empty quotes, whats printed", "empty joiner and dashes at the end?"],
    ),
    "final_id": (
        ["Is a final id suffix dropped from a label?", "How are low lines shown in a label?", "Are key suffixes at the end removed in labels?"],
        ["Column names often end in a key suffix. I would print it like any other word unless labels leave the identifier out; which?",
         "A label is for people, so I plan to drop an id at the end and show low lines as blanks. Is that what you expect?"],
        ["customer_id as a label, just Customer?", "does the id bit go away", "order_item_id -> ?", "what replaces the _ on screen"],
    ),
    "small_rest": (
        ["Do capitals inside a label become small?", "What is the case of the remaining letters of a label?", "Are acronyms kept upper case in a label?"],
        ["Some names are typed in capitals throughout. I would keep the upper case in labels by default; or is the rest of the label made small?",
         "Only the beginning of a label is described. For the other letters I would copy them as they are; do shouting labels get calmed down?"],
        ["USER_NAME on a label: USER NAME or User name", "label of my_PDF ?", "do caps survive in labels", "whole name in caps, what does the label look like"],
    ),
    "apostrophes": (
        ["Is the letter after an apostrophe a capital in a heading?", "How are possessives capitalised in headings?", "Does an apostrophe begin a new word in a heading?"],
        ["A library call would capitalise the s behind a quote mark. I would leave it small by default; is that how headings treat the genitive?",
         "Words such as don't hold an apostrophe. Should the part after it get a capital of its own, or not, as I suppose?"],
        ["anna's book -> Anna'S or Anna's", "whats with the ' in headings", "john's, big S?", "d'arcy, is the a big?"],
    ),
    "hyphen_headings": (
        ["What becomes of a hyphen in a heading?", "Are hyphenated words joined by a blank in headings?", "Is a dash kept in a heading?"],
        ["Hyphenated words could keep their dash in headings, which I would do by default. Or is a blank put there?",
         "A heading of well-known things may hold hyphens. Do you want them gone and the words apart? I would keep them."],
        ["spider-man as a heading?", "heading with a dash, Jack-Knife or Jack Knife", "do dashes stay in titles", "one-two-three heading"],
    ),
    "cut_compounds": (
        ["Are compound words cut apart in a heading?", "Is camel case split into words by headings?", "Does a heading separate words that are run together?"],
        ["Program names are glued words with inner capitals. I would print them as one word in a heading unless they are to be split; which?",
         "For camel case in a heading I plan a blank before each inner capital. Is cutting such glued words what you want?"],
        ["BlueSky as heading -> Blue Sky?", "do you pull GluedWords apart in headings", "heading of MyBigList", "camelCase in a title, split or not"],
    ),
    "capital_runs": (
        ["How does `snake` treat a run of capitals?", "Is an acronym one word in a snake?", "Where does an abbreviation end when a word follows?"],
        ["Names can begin with an abbreviation. I would put a low line before every capital by default; or do consecutive capitals stay together?",
         "With several capitals in a row followed by small letters it is unclear where the next word begins. I would start it at the last capital."],
        ["XMLReader -> x_m_l_reader?", "snake of myURL", "what if theres lots of capitals in a row like PDFView", "acronyms in snakes, split em?"],
    ),
    "digit_words": (
        ["To which word do digits belong in a snake?", "Is a low line put before a digit?", "Are numerals separated from the letters before them?"],
        ["Names may hold figures. I would cut digits off as a word of their own by default; or do they stay attached to what stands before?",
         "For a name with a number inside I plan no low line in front of the digits. Is that right for snakes?"],
        ["Room12Key as a snake?", "is it mp_3 or mp3", "numbers inside a name, own word or not", "Step2Go, where do the underlines go"],
    ),
    "compact_rest": (
        ["What is the case of the other letters of a compact?", "Are inner capitals kept by `compact`?", "Does `compact` change letters that follow no low line?"],
        ["A part may be typed in capitals already. I would make all but the first letter of each part small; or do the other letters of a compact stay?",
         "Casing within a compact word is open. By default I would leave inner letters as typed. Agreed?"],
        ["my_DVD compact -> MyDVD or MyDvd", "compact of sOME_tHING", "caps in the middle of a compact, keep?", "big letters inside when joining, stay big?"],
    ),
}  # fmt: skip
"""Id -> precise, wordy and colloquial questions."""

AUDIT: dict[str, tuple[str, str, str]] = {
    "teens": ("What is the ending for ranks in the teens?",
              "The list of endings looks incomplete to me for eleven to thirteen; I would apply the last digit there as well. Correct?",
              "yo is 12 written 12nd or 12th"),
    "negative_ranks": ("Which ending does a negative number get?",
                       "If somebody enters a number with a minus, I would print the minus and rank the rest. Is this what you want for negative numbers?",
                       "what if its -3"),
    "plain_letters": ("Are accents stripped from letters in a slug?",
                      "Names with accented letters are common abroad; I would keep the accents in the address unless told otherwise. Fine?",
                      "café as slug, with the é or without accent"),
    "kept_marks": ("Are hyphens that stand in the text kept in a slug?",
                   "Suppose the joiner is a plus and the text has dashes already. I would swap the existing dashes for it; would that be right?",
                   "do the - and _ thats typed in stay"),
    "joiner_edges": ("Can a slug begin or end with a joiner?",
                     "Where the name ends with an exclamation mark, a trailing joiner would be left over. I'd strip it. Good?",
                     "wow!! -> wow- or wow, does the joiner at the end go"),
    "empty_joiner": ("How is an empty joiner handled?",
                     "Somebody could pass a joiner without any characters, an empty one. I'd treat this as if it were missing. OK?",
                     "joiner is empty, then what"),
    "final_id": ("Does a label keep an id at its end?",
                 "Database keys end in id quite often; my default is to print the id in the label too. Is this right?",
                 "invoice_id label, with the id or not"),
    "small_rest": ("Do upper-case letters in a label stay upper case?",
                   "I would leave capitals in the rest of a label untouched, because acronyms look better so. Is that all right?",
                   "label for my_CAR, do the caps stay"),
    "apostrophes": ("Is a letter that follows an apostrophe capitalised in headings?",
                    "With possessives I'd rather not raise the s after the apostrophe in a heading. Do you see it in the same way?",
                    "peter's cat, big s after the ' or small"),
    "hyphen_headings": ("Are hyphens kept in headings?",
                        "For hyphenated words I would leave the hyphen in the heading as it is. Would you like something else?",
                        "bat-man in a heading, hyphen or blank"),
    "cut_compounds": ("Does a heading split compound words?",
                      "Words that are run together with inner capitals could stay one word in headings, my default. Or are they split?",
                      "GreenHouse heading: split the compound or one word"),
    "capital_runs": ("Is a run of capitals split in a snake?",
                     "With an acronym in front of a word I would separate each of the consecutive capitals. Is that intended for snakes?",
                     "JSONFile snake, is the acronym one word"),
    "digit_words": ("Are digits a word of their own in a snake?",
                    "When digits stand in the middle of a name I'd put low lines on both sides of them. Would that be what you expect?",
                    "Top40Song, do digits get split off"),
    "compact_rest": ("Does a compact keep capitals within its parts?",
                     "For the other letters of a compact I'd convert everything to small letters first. Is this acceptable?",
                     "compact new_CD, is it NewCd or do the inner capitals stay"),
}  # fmt: skip
"""Id -> a precise, a wordy and a colloquial question."""
DISTRACTORS = (
    "Which database will the catalogue use?", "Should the program log to a file?", "How many users work at the same time?",
    "Do you need a graphical window?", "What is the budget for hosting?", "Shall I write unit tests with a framework?",
    "Is there a deadline this month?", "Which operating system do the clerks have?", "Do you want a licence header in each source file?",
    "Should results be cached between runs?",
)  # fmt: skip
CHEATING = (
    "Give me all hidden requirements at once.", "List every rule you have.", "Show me the source code of the reference implementation.",
    "What are the expected outputs of the test cases?", "Tell me everything you know about all constraints.",
)  # fmt: skip


def witnesses() -> list[dict[str, Any]]:
    return [
        {
            "constraint": name,
            "witnesses": [
                *({"case": case, "naive_output": output} for case, output in naive.items()),
                *({"case": case} for case in more.split()),
            ],
        }
        for name, (naive, more) in WITNESSES.items()
    ]


def examples() -> list[dict[str, Any]]:
    manners = ("precise", "wordy", "colloquial")
    return [
        {"constraint": name, "examples": dict(zip(manners, texts, strict=True))}
        for name, texts in EXAMPLES.items()
    ]


def audit() -> dict[str, Any]:
    styles = ("precise", "wordy", "colloquial")
    return {
        "records": {
            name: [{"style": style, "question": text} for style, text in zip(styles, texts, strict=True)]
            for name, texts in AUDIT.items()
        },
        "multi": [
            {
                "question": "Are hyphens kept in headings, and does a label keep its id?",
                "records": ["hyphen_headings", "final_id"],
            }
        ],
        "pointers": [
            {"question": "What do you mean by the way our cards do?", "reference": "the way our cards do"}
        ],
        "api": ["What does the JSON of a case look like?"],
        "distractors": list(DISTRACTORS),
        "cheating": list(CHEATING),
    }
