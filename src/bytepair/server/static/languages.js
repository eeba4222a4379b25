// The same sentences in many languages: how many tokens each needs, against English.

import { get, isAbort, Latest } from './api.js';
import { afterPause, button, count, el, fixed } from './dom.js';
import { cost, money } from './settings.js';
import { page } from './tokens.js';

const latest = new Latest();
let host;
let shipped = [];
const own = [];
let isShown = false;

export async function start(panel) {
  host = panel;
  host.replaceChildren(
    el('p', { class: 'lead', text: 'Twelve sentences that say the same in each language. A bar is what a language pays for them against English.' }),
    el('div', { id: 'parity' }),
    el('h3', { text: 'Your own' }),
    el('p', { class: 'hint', text: 'The first is what the others are measured against.' }),
    el('div', { id: 'own-texts', class: 'own-texts' }),
    button('Add a text', () => addOwn('', '')),
    el('div', { id: 'own-parity' }));
  addOwn('English', 'How much does a ticket to the old town cost?', false);
  addOwn('Greek', 'Πόσο κοστίζει ένα εισιτήριο για την παλιά πόλη;', false);
  page.on('tokenizer', () => { if (isShown) refresh(); });
  shipped = (await get('/v1/languages')).languages;
  refresh();
}

export function show(is) {
  isShown = is;
  if (is && shipped.length) refresh();
}

function addOwn(name, text, isNew = true) {
  const label = el('input', { value: name, 'aria-label': 'Name', placeholder: 'Language' });
  const area = el('textarea', { value: text, rows: 2, dir: 'auto', 'aria-label': 'Text', placeholder: 'The same in another language' });
  const one = { label, area };
  const row = el('div', { class: 'own-text' }, label, area, button('✕', () => {
    own.splice(own.indexOf(one), 1);
    row.remove();
    later();
  }, { class: 'quiet', 'aria-label': 'Remove this text' }));
  label.addEventListener('input', later);
  area.addEventListener('input', later);
  own.push(one);
  host.querySelector('#own-texts').append(row);
  if (isNew) label.focus();
}

const later = afterPause(() => refresh(), 100);

async function refresh() {
  const texts = [...shipped.flatMap(({ sentences }) => sentences), ...own.map(({ area }) => area.value)];
  const { tokenizer } = page;
  try {
    const { n_tokens: counts } = await latest.post('/v1/count', { text: texts, tokenizer });
    let at = 0;
    const rows = shipped.map(({ language, code, sentences }) => {
      const n = sentences.reduce((sum) => sum + counts[at++], 0);
      return { name: language, code, n, sample: sentences[0] };
    });
    host.querySelector('#parity').replaceChildren(bars(rows, `Parity by ${tokenizer}`));
    const mine = own.map(({ label, area }) => ({ name: label.value || 'unnamed', n: counts[at++], sample: area.value }));
    host.querySelector('#own-parity').replaceChildren(mine.length ? bars(mine, 'Parity of your own texts') : '');
  } catch (error) {
    if (!isAbort(error)) host.querySelector('#parity').replaceChildren(el('p', { class: 'bad', text: error.message }));
  }
}

function bars(rows, caption) {
  const base = rows[0].n || 1;
  const most = Math.max(...rows.map(({ n }) => n), 1);
  const sorted = [rows[0], ...rows.slice(1).sort((a, b) => a.n - b.n)];
  const made = sorted.map(({ name, code, n, sample }) => {
    const bar = el('div', { class: n > 2 * base ? 'bar-fill high' : 'bar-fill' });
    bar.style.width = `${(100 * n) / most}%`;
    const line = el('div', { class: 'base-line' });
    line.style.insetInlineStart = `${(100 * base) / most}%`;
    return el('tr', {},
      el('th', { scope: 'row', text: name }),
      el('td', { class: 'sample' }, el('bdi', { text: sample, lang: code })),
      el('td', { class: 'number', text: count(n) }),
      el('td', { class: 'number', text: `${fixed(n / base)}×` }),
      el('td', { class: 'bar-cell' }, el('div', { class: 'bar-track', 'aria-hidden': 'true' }, bar, line)),
      el('td', { class: 'number', text: money(cost(page.tokenizer, n)) }));
  });
  const heads = ['Language', 'begins with', 'tokens', 'parity', '', 'cost'];
  return el('table', { class: 'parity' }, el('caption', { text: caption }),
    el('thead', {}, el('tr', {}, heads.map((text) => (text ? el('th', { scope: 'col', text }) : el('td'))))), el('tbody', {}, made));
}
