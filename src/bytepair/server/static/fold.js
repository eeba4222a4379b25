// Very long lines, broken for the eye alone: a browser lays out all of a line anew for each key, and
// a megabyte of several scripts takes it seconds.

import { change, cut } from './text.js';

const LONGEST = 16_384; // units of a line that is left as it is
const PART = 4096;
const REMEMBERED = 40; // states that undoing may come back to

/** A text, and how it is shown: with line ends that it does not have, the folds. */
export class Folded {
  shown = '';
  #folds = []; // places in `shown`
  #states = []; // { shown, folds }, the newest last

  /** Another text. */
  set(text) {
    const parts = [];
    this.#folds = [];
    let size = 0;
    const add = (from, to) => { parts.push(text.slice(from, to)); size += to - from; };
    let done = 0;
    for (const [begin, end] of longLines(text, LONGEST)) {
      add(done, begin);
      done = begin;
      for (let next = cut(text, done, PART); next < end; next = cut(text, done, PART)) {
        add(done, next);
        this.#folds.push(size);
        parts.push('\n');
        size += 1;
        done = next;
      }
    }
    add(done, text.length);
    this.shown = parts.join('');
    this.#states = [];
    this.#remember();
  }

  /** What is shown was changed; gives the text. `isUndone`: to what it was before. */
  typed(shown, isUndone = false) {
    const known = isUndone && this.#states.find((state) => state.shown === shown);
    if (known) {
      this.#folds = known.folds;
    } else if (this.#folds.length) {
      const { start, removed, added } = change(this.shown, shown);
      this.#folds = this.#folds.filter((at) => at < start || at >= start + removed)
        .map((at) => (at < start ? at : at + added - removed));
    }
    this.shown = shown;
    this.#remember();
    return this.unfolded();
  }

  /** A line is too long again. */
  get isTooLong() {
    return hasLongLine(this.shown, 2 * LONGEST);
  }

  get isFolded() {
    return this.#folds.length > 0;
  }

  #remember() {
    if (!this.#folds.length) return;
    this.#states.push({ shown: this.shown, folds: this.#folds });
    if (this.#states.length > REMEMBERED) this.#states.shift();
  }

  /** The text of a stretch of what is shown. */
  unfolded(from = 0, to = this.shown.length) {
    if (!this.#folds.length) return this.shown.slice(from, to);
    const parts = [];
    for (const at of this.#folds) {
      if (at < from || at >= to) continue;
      parts.push(this.shown.slice(from, at));
      from = at + 1;
    }
    return parts.join('') + this.shown.slice(from, to);
  }

  /** A place in what is shown, from one in the text. */
  place(unit) {
    let folds = 0;
    while (folds < this.#folds.length && this.#folds[folds] - folds <= unit) folds++;
    return unit + folds;
  }

  /** A place in the text, from one in what is shown. */
  unit(place) {
    return place - this.#folds.filter((at) => at < place).length;
  }

  /** Tokens with their places in what is shown. */
  tokens(tokens) {
    if (!this.#folds.length) return tokens;
    const units = this.#folds.map((at, folds) => at - folds);
    return {
      ...tokens,
      starts: shifted(tokens.starts, (unit, folds) => unit >= units[folds], units.length),
      stops: shifted(tokens.stops, (unit, folds) => unit > units[folds], units.length),
    };
  }
}

/** True if a line of a text should be folded. */
export const hasLongLine = (text, most = LONGEST) => !longLines(text, most).next().done;

/** Ascending numbers, each with so many added as `isBehind` holds for. */
function shifted(numbers, isBehind, most) {
  let folds = 0;
  return numbers.map((unit) => {
    while (folds < most && isBehind(unit, folds)) folds++;
    return unit + folds;
  });
}

/** [begin, end] of lines longer than `most`. */
function* longLines(text, most) {
  for (let begin = 0; begin < text.length;) {
    const found = text.indexOf('\n', begin);
    const end = found < 0 ? text.length : found;
    if (end - begin > most) yield [begin, end];
    begin = end + 1;
  }
}
