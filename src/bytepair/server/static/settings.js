// What the reader has set; the lasting ones are kept in this browser. Never texts.

import { get } from './api.js';

const KEPT = ['theme', 'spaces', 'prices', 'compared', 'tokenizer'];
const NAME = 'bytepair-playground';

class Settings extends EventTarget {
  #values = { theme: 'auto', spaces: false, chunk: 0, prices: null, compared: null, tokenizer: '' };

  constructor() {
    super();
    try {
      Object.assign(this.#values, JSON.parse(localStorage.getItem(NAME) ?? '{}'));
    } catch {
      // A browser that keeps nothing, or kept something else: as at first.
    }
  }

  get(name) {
    return this.#values[name];
  }

  set(name, value) {
    this.#values[name] = value;
    try {
      const kept = Object.fromEntries(KEPT.map((key) => [key, this.#values[key]]));
      localStorage.setItem(NAME, JSON.stringify(kept));
    } catch {
      // It holds for this visit.
    }
    this.dispatchEvent(new CustomEvent(name));
  }

  on(name, call) {
    this.addEventListener(name, () => call());
  }
}

export const settings = new Settings();

let shipped = { currency: '$', per_million_tokens: { '*': 1 } };

export async function loadPrices() {
  shipped = await get('/v1/prices');
}

export const prices = () => settings.get('prices') ?? shipped;
export const resetPrices = () => settings.set('prices', null);

/** What some tokens cost, by the table. */
export function cost(tokenizer, tokens) {
  const table = prices().per_million_tokens;
  return (tokens * (table[tokenizer] ?? table['*'] ?? 0)) / 1e6;
}

export function money(value) {
  const digits = value === 0 || value >= 1 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(value)));
  return `${prices().currency}${value.toFixed(digits)}`;
}
