// The page at `/`: starts its parts, and shows one view at a time.

import { startCard } from './card.js';
import * as chat from './chat.js';
import * as compare from './compare.js';
import { choice, el, find, say } from './dom.js';
import { startEditor } from './editor.js';
import { shared, startFiles } from './files.js';
import * as languages from './languages.js';
import { startPanel } from './panel.js';
import * as prompts from './prompts.js';
import * as pruning from './pruning.js';
import { loadPrices, settings } from './settings.js';
import { page } from './tokens.js';
import { startTools } from './tools.js';
import * as training from './training.js';
import * as vocabulary from './vocabulary.js';

const VIEWS = { compare, languages, prompts, chat, vocabulary, pruning, training };
const EXAMPLE = `Tokens are what a language model reads and writes. Type here.

low lower lowest · naïve café · 1234567.89 · snake_case camelCase
    for word in text.split():  # four spaces, then two
Ελληνικά · العربية · ភាសាខ្មែរ · हिन्दी · 日本語 · 👩‍👩‍👧‍👦 🏳️‍🌈 🌶️
`;
const started = new Map();

async function start() {
  theme();
  startEditor();
  startPanel();
  startCard();
  startTools();
  startFiles();
  tabs();
  try {
    page.tokenizer = settings.get('tokenizer');
    const link = await shared();
    if (link) {
      page.tokenizer = link.tokenizer;
      page.asTokens = link.asTokens;
    }
    page.on('tokenizers', picker);
    page.on('tokenizer', () => {
      find('tokenizer').value = page.tokenizer;
      settings.set('tokenizer', page.tokenizer);
    });
    await Promise.all([page.load(), loadPrices()]);
    find('specials').replaceWith(specials());
    // What was typed while the page loaded is not thrown away.
    page.setText(link?.text ?? (find('text').value || EXAMPLE));
    if (link && link.view in VIEWS) open(link.view);
  } catch (error) {
    say(error.message, 'bad');
  }
  document.documentElement.dataset.ready = 'true';
}

function picker() {
  const box = find('tokenizer');
  box.replaceChildren(...page.tokenizers.map(({ name }) => el('option', { value: name, text: name })));
  box.value = page.tokenizer;
  box.onchange = () => page.choose(box.value);
}

const specials = () => choice('specials', 'Special tokens', [['tokens', 'as tokens'], ['text', 'as text']],
  page.asTokens ? 'tokens' : 'text', (key) => page.setAsTokens(key === 'tokens'));

function theme() {
  const box = find('theme');
  const apply = () => {
    document.documentElement.dataset.theme = settings.get('theme');
    box.value = settings.get('theme');
  };
  box.addEventListener('change', () => {
    settings.set('theme', box.value);
    apply();
  });
  apply();
}

// ------------------------------------------------------------------ tabs

function tabs() {
  const all = [...document.querySelectorAll('[role=tab]')];
  for (const tab of all) {
    tab.addEventListener('click', () => open(tab.dataset.view));
    tab.addEventListener('keydown', (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -all.length, End: all.length };
      if (!(event.key in steps)) return;
      event.preventDefault();
      const at = all.indexOf(tab);
      const next = Math.abs(steps[event.key]) > 1 ? (steps[event.key] < 0 ? 0 : all.length - 1)
        : (at + steps[event.key] + all.length) % all.length;
      open(all[next].dataset.view);
      all[next].focus();
    });
  }
}

async function open(name) {
  page.view = name;
  for (const tab of document.querySelectorAll('[role=tab]')) {
    const isOpen = tab.dataset.view === name;
    tab.setAttribute('aria-selected', `${isOpen}`);
    tab.tabIndex = isOpen ? 0 : -1;
    if (isOpen) tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    find(`view-${tab.dataset.view}`).hidden = !isOpen;
  }
  const view = VIEWS[name];
  try {
    if (view && !started.has(name)) {
      const host = find(`view-${name}`);
      started.set(name, view.start(host));
      host.prepend(el('h2', { class: 'only-read', text: find(`tab-${name}`).textContent }));
    }
    await started.get(name);
  } catch (error) {
    say(error.message, 'bad');
  }
  for (const [other, one] of Object.entries(VIEWS)) if (started.has(other)) one.show(other === page.view);
}

start();
