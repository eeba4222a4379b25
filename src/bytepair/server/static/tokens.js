// The page's text and its tokens, shared by all views.

import { Latest, get, isAbort, post } from './api.js';
import { say } from './dom.js';
import { colours, firstOf } from './paint.js';
import { change, placed, placedByCharacter, utf8 } from './text.js';

const NONE = {
  ids: new Uint32Array(0), ends: new Uint32Array(0), starts: new Uint32Array(0),
  stops: new Uint32Array(0), broken: new Uint8Array(0), colours: new Uint8Array(0),
  special: new Set(), words: 0, characters: 0, bytes: 0, text: '', data: new Uint8Array(0),
};

/** The tokens of a text, with their places in it. */
export async function tokenize(text, tokenizer, asTokens, asker = { post }) {
  const allowed = asTokens ? 'all' : [];
  const request = { text, tokenizer, allowed_special: allowed, columns: true };
  const answer = await asker.post('/v1/inspect', request);
  const ends = Uint32Array.from(answer.ends);
  let places = null;
  const data = utf8(text);
  if (data.length !== (ends.at(-1) ?? 0)) { // the tokenizer changes the text first
    const encode = { text, tokenizer, allowed_special: allowed, offsets: true };
    places = placedByCharacter(text, (await asker.post('/v1/encode', encode)).offsets);
  }
  return {
    ids: Uint32Array.from(answer.ids),
    ends,
    ...(places ?? placed(text, ends)),
    special: new Set(answer.special),
    words: answer.n_words,
    characters: answer.n_characters,
    bytes: data.length,
    text,
    data,
    isChanged: places !== null,
  };
}

class Page extends EventTarget {
  text = '';
  tokens = NONE;
  tokenizers = [];
  tokenizer = '';
  compared = new Set();
  asTokens = true;
  isFresh = true; // `tokens` are those of `text`
  hovered = -1;
  picked = [0, 0]; // [first, last) token
  #latest = new Latest();
  #timer = 0;

  tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  on(kind, call) {
    this.addEventListener(kind, ({ detail }) => call(detail));
  }

  async load() {
    this.tokenizers = (await get('/v1/tokenizers')).tokenizers;
    this.tokenizer ||= this.tokenizers.find((one) => one.is_default).name;
    if (!this.info()) this.tokenizer = this.tokenizers[0].name;
    this.tell('tokenizers');
  }

  info(name = this.tokenizer) {
    return this.tokenizers.find((one) => one.name === name);
  }

  choose(name) {
    this.tokenizer = name;
    this.tell('tokenizer');
    this.#ask(0);
  }

  setAsTokens(asTokens) {
    this.asTokens = asTokens;
    this.tell('tokenizer');
    this.#ask(0);
  }

  /** The text has changed; `isTyped`: in the editor, which shows it already. */
  setText(text, isTyped = false) {
    const edit = change(this.text, text);
    this.tokens = moved(this.tokens, edit);
    this.text = text;
    this.picked = [0, 0];
    this.hovered = -1;
    this.tell('text', { isTyped });
    // The larger the text, the longer the pause in typing that is waited for.
    this.#ask(text.length < 20_000 ? 0 : text.length < 250_000 ? 40 : 200);
  }

  #ask(pause) {
    this.isFresh = false;
    clearTimeout(this.#timer);
    this.#latest.stop();
    this.#timer = setTimeout(() => this.#tokenize(), pause);
  }

  async #tokenize() {
    const { text } = this;
    try {
      const tokens = await tokenize(text, this.tokenizer, this.asTokens, this.#latest);
      if (text !== this.text) return;
      tokens.colours = colours(tokens.ids, this.tokens);
      this.tokens = tokens;
      this.isFresh = true;
      this.tell('tokens');
    } catch (error) {
      if (isAbort(error)) return;
      say(error.message, 'bad');
      this.tell('failed');
    }
  }

  hover(token) {
    if (token === this.hovered) return;
    this.hovered = token;
    this.tell('hover');
  }

  /** Tokens [first, last) are the ones meant; `from`: who says so. */
  pick(first, last, from) {
    if (first === this.picked[0] && last === this.picked[1]) return;
    this.picked = [first, last];
    this.tell('pick', { from });
  }

  /** Show a token's card. */
  open(id) {
    this.tell('open', { id });
  }
}

/** The bytes of one token; where the tokenizer changed the text first, those that were typed. */
export function bytesOf(tokens, token) {
  if (tokens.isChanged) return utf8(tokens.text.slice(tokens.starts[token], tokens.stops[token]));
  return tokens.data.subarray(token ? tokens.ends[token - 1] : 0, tokens.ends[token]);
}

/** Tokens after a change of the text, until the service has said which they are now. */
function moved(tokens, { start, removed, added }) {
  const move = (units) => {
    const found = units.slice();
    for (let i = firstOf(units.length, (n) => units[n] > start); i < found.length; i++) {
      found[i] = found[i] >= start + removed ? found[i] + added - removed : start;
    }
    return found;
  };
  return { ...tokens, starts: move(tokens.starts), stops: move(tokens.stops) };
}

export const page = new Page();
