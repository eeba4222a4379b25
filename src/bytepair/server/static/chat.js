// A conversation through the tokenizer's own template: its text, its tokens, what each costs.

import { isAbort, Latest, post } from './api.js';
import { afterPause, button, choice, copy, count, el, plural, select, tick } from './dom.js';
import { strip } from './shown.js';
import { fromHex } from './text.js';
import { page } from './tokens.js';

const ROLES = ['system', 'user', 'assistant', 'tool'];
const TOOLS = `[{"type": "function", "function": {"name": "weather",
  "description": "The weather at a place.",
  "parameters": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}}}]`;
const MOST_SHOWN = 4000; // tokens
const latest = new Latest();
const messages = [
  { role: 'system', content: 'You are a helpful assistant.' },
  { role: 'user', content: 'What is a token?' },
];
let host;
let tools;
let template;
let usesTools = false;
let prompts = true;
let asTokens = false;
let isShown = false;
let answer = null;

export function start(panel) {
  host = panel;
  tools = el('textarea', { value: TOOLS, rows: 5, spellcheck: false, 'aria-label': 'Tools, as JSON', on: { input: later } });
  template = el('textarea', { rows: 4, spellcheck: false, 'aria-label': 'A template of your own', placeholder: '{% for m in messages %}…{% endfor %}  (empty: the tokenizer’s own)', on: { input: later } });
  const toolBox = el('div', { hidden: true }, tools);
  host.replaceChildren(
    el('div', { class: 'pair wide-left' },
      el('section', {},
        el('h3', { text: 'Messages' }), el('div', { id: 'messages' }),
        el('div', { class: 'bar' }, button('Add a message', add)),
        el('div', { class: 'options' },
          tick('Generation prompt', prompts, (is) => { prompts = is; refresh(); }),
          tick('Tools', usesTools, (is) => { usesTools = is; toolBox.hidden = !is; refresh(); })),
        toolBox,
        choice('chat-specials', 'Special tokens written in messages', [['text', 'as text'], ['tokens', 'as tokens']], 'text', (key) => { asTokens = key === 'tokens'; refresh(); }),
        el('details', {}, el('summary', { text: 'A template of your own' }), template)),
      el('section', {},
        el('div', { class: 'bar' }, el('p', { class: 'sum', id: 'chat-sum', 'aria-live': 'polite' }),
          button('Copy text', () => answer && copy(answer.prompt, 'Prompt')), button('Copy ids', () => answer && copy(JSON.stringify(answer.ids), 'Ids'))),
        el('div', { id: 'chat-tokens', class: 'chat-tokens', tabIndex: 0, role: 'region', 'aria-label': 'Tokens of the conversation' }))));
  draw();
  page.on('tokenizer', () => { if (isShown) refresh(); });
}

export function show(is) {
  isShown = is;
  if (is) refresh();
}

const later = () => soon();
const soon = afterPause(() => refresh(), 60);

function add() {
  const role = messages.at(-1)?.role === 'user' ? 'assistant' : 'user';
  messages.push({ role, content: '' });
  draw();
  host.querySelector('#messages').lastElementChild.querySelector('textarea').focus();
  refresh();
}

function draw() {
  host.querySelector('#messages').replaceChildren(...messages.map((message, i) => {
    const area = el('textarea', { value: message.content, rows: Math.min(6, message.content.split('\n').length + 1), dir: 'auto', 'aria-label': `Message ${i + 1}`, on: { input: () => { message.content = area.value; soon(); } } });
    const role = select(ROLES, message.role, (value) => { message.role = value; refresh(); }, { 'aria-label': `Role of message ${i + 1}` });
    const remove = button('✕', () => { messages.splice(i, 1); draw(); refresh(); }, { class: 'quiet', 'aria-label': `Remove message ${i + 1}` });
    return el('div', { class: `message ${message.role}` }, el('div', { class: 'who' }, role, remove), area);
  }));
}

/** The request, or what is wrong with it. */
function request() {
  const made = { messages, model: page.tokenizer, add_generation_prompt: prompts };
  if (usesTools) made.tools = JSON.parse(tools.value);
  if (template.value.trim()) made.chat_template = template.value;
  return made;
}

async function refresh() {
  if (!isShown) return;
  const sum = host.querySelector('#chat-sum');
  try {
    const asked = request();
    const { prompt } = await latest.post('/apply-template', asked);
    answer = { prompt, ...await tokens(asked, prompt) };
    const { ids, pieces } = answer;
    const special = pieces.filter((piece) => piece.special).length;
    sum.replaceChildren(el('b', { text: count(ids.length) }), ` tokens, ${plural(special, 'special one')} among them`);
    const shown = pieces.slice(0, MOST_SHOWN).map((piece, i) => ({ bytes: fromHex(piece.bytes), id: piece.id, colour: i, kind: piece.special ? 'special' : '' }));
    host.querySelector('#chat-tokens').replaceChildren(strip(shown, (id) => page.open(id)),
      ids.length > MOST_SHOWN ? el('p', { class: 'hint', text: `The first ${count(MOST_SHOWN)} are shown.` }) : '');
  } catch (error) {
    if (isAbort(error)) return;
    answer = null;
    sum.replaceChildren();
    const message = error instanceof SyntaxError ? `The tools are not JSON: ${error.message}` : error.message;
    host.querySelector('#chat-tokens').replaceChildren(el('p', { class: 'bad', text: message }));
  }
}

/** Control tokens come from the template alone; or, as tokens, wherever they are written. */
async function tokens(asked, prompt) {
  if (asTokens) {
    const { pieces } = await post('/v1/inspect', { text: prompt, tokenizer: page.tokenizer, allowed_special: 'all' });
    return { pieces, ids: pieces.map((piece) => piece.id) };
  }
  const ids = (await post('/tokenize', asked)).tokens;
  const { pieces } = await post('/v1/inspect', { ids, tokenizer: page.tokenizer });
  return { pieces, ids };
}
