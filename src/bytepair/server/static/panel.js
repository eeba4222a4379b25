// Beside the editor: the list of tokens, linked with the text; above both: what they come to.

import { cost, money, prices, resetPrices, settings } from './settings.js';
import { button, count, el, find, fixed } from './dom.js';
import { List } from './list.js';
import { signs } from './shown.js';
import { toHex } from './text.js';
import { bytesOf, page } from './tokens.js';

let list;

export function startPanel() {
  list = new List(find('tokens'), {
    label: 'Tokens of the text', row, hover: (i) => page.hover(i),
    call: (i) => page.pick(i, i + 1, 'list'),
    enter: (i) => {
      page.pick(i, i + 1, 'list');
      page.tell('open', { id: page.tokens.ids[i], token: i });
    },
  });
  page.on('tokens', () => {
    list.setSize(page.tokens.ids.length);
    find('tokens-empty').hidden = page.tokens.ids.length > 0;
    figures();
  });
  page.on('hover', () => {
    list.draw();
    status();
  });
  page.on('pick', ({ from }) => {
    const [first, last] = page.picked;
    if (from === 'editor' && last > first) list.activate(first);
    list.draw();
    status();
  });
  page.on('cursor', ({ token }) => list.reveal(token));
  page.on('text', () => { find('figures').classList.add('stale'); });
  settings.on('prices', figures);
  find('price').addEventListener('click', editPrices);
}

function row(i) {
  const { tokens, hovered, picked } = page;
  const bytes = bytesOf(tokens, i);
  const kinds = [
    i === hovered ? 'hovered' : '', i >= picked[0] && i < picked[1] ? 'in' : '',
    tokens.special.has(i) ? 'special' : '',
  ];
  const hex = bytes.length > 8 ? `${toHex(bytes.subarray(0, 8))} … (${bytes.length})` : toHex(bytes);
  return el('div', { class: `cells ${kinds.join(' ')}` },
    el('span', { class: 'n', text: count(i) }),
    el('span', { class: `t c${tokens.colours[i]}` }, signs(bytes)),
    el('span', { class: 'id', text: `${tokens.ids[i]}` }),
    el('span', { class: 'b', text: hex }),
    el('span', { class: 'o', text: count(i ? tokens.ends[i - 1] : 0) }));
}

/** Numbers of the whole text. */
function figures() {
  const { ids, characters, bytes, words } = page.tokens;
  const n = ids.length;
  const shown = [
    ['tokens', count(n)], ['characters', count(characters)], ['bytes', count(bytes)],
    ['words', count(words)], ['tokens/word', words ? fixed(n / words) : '–'],
    ['bytes/token', n ? fixed(bytes / n) : '–'],
  ];
  const made = shown.map(([name, value]) =>
    el('div', { class: name === 'tokens' ? 'main' : '' }, el('dt', { text: name }), el('dd', { text: value })));
  find('figures').replaceChildren(...made);
  find('figures').classList.remove('stale');
  find('price').replaceChildren(el('small', { text: 'cost' }), money(cost(page.tokenizer, n)));
  find('price').setAttribute('aria-label', `Cost ${money(cost(page.tokenizer, n))}: edit prices`);
  status();
}

/** What the pointer or the selection is on, in a line. */
function status() {
  const { tokens, hovered, picked } = page;
  const line = find('status');
  const [first, last] = hovered >= 0 ? [hovered, hovered + 1] : picked;
  if (last <= first || last > tokens.ids.length) {
    line.textContent = tokens.ids.length
      ? 'Point at a token, or select some text. Double click or Ctrl+Enter opens a card.' : '';
    return;
  }
  const begin = first ? tokens.ends[first - 1] : 0;
  const places = `bytes ${count(begin)}–${count(tokens.ends[last - 1])}`;
  line.textContent = last - first === 1
    ? `token ${count(first)} · id ${tokens.ids[first]} · ${places}`
    : `${count(last - first)} tokens selected, ${count(first)} to ${count(last - 1)} · ${places}`;
}

// ------------------------------------------------------------------ prices

function editPrices() {
  const dialog = find('price-dialog');
  const rows = el('div', { class: 'price-rows' });
  const add = (name, value) => {
    const one = el('div', { class: 'price-row' },
      el('input', { value: name, 'aria-label': 'Tokenizer; * for all others', name: 'name' }),
      el('input', { value: `${value}`, 'aria-label': `Price of a million tokens of ${name}`, type: 'number', min: '0', step: 'any', name: 'price' }),
      button('✕', () => one.remove(), { 'aria-label': `Remove the price of ${name}`, class: 'quiet' }));
    rows.append(one);
  };
  for (const [name, value] of Object.entries(prices().per_million_tokens)) add(name, value);
  const currency = el('input', { value: prices().currency, size: 4 });
  const keep = () => {
    const table = [...rows.children].map((one) => [...one.querySelectorAll('input')].map((i) => i.value));
    const valid = table.filter(([name, value]) => name && value !== '' && Number(value) >= 0);
    const perMillion = Object.fromEntries(valid.map(([name, value]) => [name, Number(value)]));
    settings.set('prices', { currency: currency.value, per_million_tokens: perMillion });
  };
  dialog.replaceChildren(el('form', { method: 'dialog', on: { submit: keep } },
    el('h2', { text: 'Prices of a million tokens' }),
    el('p', { class: 'hint', text: 'By the name of the tokenizer; * is for all others. Kept in this browser.' }),
    el('label', { class: 'field' }, el('span', { text: 'Currency' }), currency), rows,
    el('div', { class: 'actions' },
      button('Add a row', () => add(page.tokenizer, 1)),
      button('As shipped', () => { resetPrices(); dialog.close(); }),
      el('button', { text: 'Keep', class: 'primary' }))));
  dialog.showModal();
}
