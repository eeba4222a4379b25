// What is done with tokens: copied, cut into chunks, made from ids.

import { post } from './api.js';
import { button, copy, count, el, find, plural, say } from './dom.js';
import { settings } from './settings.js';
import { signs } from './shown.js';
import { fromHex } from './text.js';
import { page } from './tokens.js';

export function startTools() {
  find('copy-json').addEventListener('click', () => copy(asJson(), 'JSON'));
  find('copy-python').addEventListener('click', () => copy(asPython(), 'Python'));
  find('chunk').addEventListener('input', chunk);
  find('copy-chunks').addEventListener('click', () => {
    copy(JSON.stringify(chunks().map(({ text }) => text), null, 1), 'Chunks');
  });
  find('spaces').checked = settings.get('spaces');
  find('spaces').addEventListener('change', () => settings.set('spaces', find('spaces').checked));
  find('ids-open').addEventListener('click', openIds);
  page.on('tokens', chunk);
}

function asJson() {
  const { ids, ends } = page.tokens;
  return JSON.stringify({
    tokenizer: page.tokenizer, text: page.tokens.text, n_tokens: ids.length,
    special_tokens: page.asTokens ? 'tokens' : 'text', ids: [...ids], ends: [...ends],
  });
}

/** A program that gives these ids. */
function asPython() {
  const allowed = page.asTokens ? 'allowed_special="all"' : 'disallowed_special=()';
  return [
    'import bytepair', '', `tokenizer = bytepair.load(${JSON.stringify(page.tokenizer)})  # its folder or file`,
    `text = ${pythonString(page.tokens.text)}`, `ids = tokenizer.encode(text, ${allowed})`,
    `assert ids == [${[...page.tokens.ids].join(', ')}]`, '',
  ].join('\n');
}

/** JSON's string is Python's but for characters beyond U+FFFF, which JSON leaves as they are. */
const pythonString = (text) =>
  JSON.stringify(text.toWellFormed?.() ?? text).replace(/[\u007f-\u009f\u2028\u2029]/g, (sign) =>
    `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

// ------------------------------------------------------------------ chunks

/** Stretches of N tokens; a chunk never ends within a character. */
function chunks() {
  const n = settings.get('chunk');
  const { ids, starts, stops, broken } = page.tokens;
  const found = [];
  for (let first = 0; n && first < ids.length;) {
    let last = Math.min(first + n, ids.length);
    while (last < ids.length && last > first + 1 && broken[last] && starts[last] < stops[last - 1]) last--;
    found.push({ first, last, text: page.tokens.text.slice(starts[first], last < ids.length ? starts[last] : undefined) });
    first = last;
  }
  return found;
}

function chunk() {
  const n = Math.max(0, Math.floor(Number(find('chunk').value) || 0));
  if (n !== settings.get('chunk')) settings.set('chunk', n);
  const made = chunks();
  find('copy-chunks').hidden = !made.length;
  const last = made.at(-1);
  find('chunks-said').textContent = last
    ? `${plural(made.length, 'chunk')}, the last of ${plural(last.last - last.first, 'token')}` : '';
  page.tell('chunks', { starts: new Set(made.map(({ first }) => first)) });
}

// ------------------------------------------------------------------ ids to text

function openIds() {
  const dialog = find('ids-dialog');
  const input = el('textarea', { rows: 4, placeholder: '9906, 1917, 0', 'aria-label': 'Ids', spellcheck: false });
  const result = el('div', { class: 'result', 'aria-live': 'polite' });
  let text = null;
  const use = button('Put into the editor', () => {
    page.setText(text);
    dialog.close();
  }, { disabled: true });
  input.addEventListener('input', async () => {
    const ids = input.value.match(/-?\d+/g)?.map(Number) ?? [];
    text = null;
    use.disabled = true;
    if (!ids.length) {
      result.replaceChildren();
      return;
    }
    try {
      const { pieces } = await post('/v1/inspect', { ids, tokenizer: page.tokenizer });
      const bytes = fromHex(pieces.map((piece) => piece.bytes).join(''));
      text = new TextDecoder().decode(bytes);
      use.disabled = false;
      result.replaceChildren(signs(bytes), el('p', { class: 'hint', text: `${count(ids.length)} ids, ${count(bytes.length)} bytes` }));
    } catch (error) {
      result.replaceChildren(el('p', { class: 'bad', text: error.message }));
    }
  });
  dialog.replaceChildren(el('form', { method: 'dialog' },
    el('h2', { text: 'Ids to text' }),
    el('p', { class: 'hint', text: `Numbers of ${page.tokenizer}, separated by anything.` }), input, result,
    el('div', { class: 'actions' }, use, button('Copy the text', () => (text === null ? say('No ids yet.') : copy(text, 'Text'))),
      el('button', { text: 'Close' }))));
  dialog.showModal();
  input.focus();
}
