import { consolePath, signInKey } from '../site/console-configuration.ts';

/**
 * The script of the API reference. It searches the table of contents, marks the current section, closes the table of
 * contents on a phone, copies examples, and leads signed-in users to the console. The page works without the script,
 * too. The script sends no requests.
 */
export const script = `
const contents = document.getElementById('contents');
const find = document.getElementById('find');
const nothing = contents.querySelector('.nothing');
const entries = [...contents.querySelectorAll('li[data-find]')].map((item) => ({
  item,
  words: item.dataset.find.toLowerCase(),
  path: item.dataset.path && new RegExp('^' + item.dataset.path.replace(/[{][^{}]+[}]/g, '[^/]+') + '$'),
}));
const groups = [...contents.querySelectorAll('details')].map((group) => ({ group, isOpen: group.open }));
const isFound = ({ words, path }, word) => words.includes(word) || (word.startsWith('/') && (path?.test(word) || path?.test(contents.dataset.base + word)));

function search() {
  const wanted = find.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const entry of entries) entry.item.hidden = !wanted.every((word) => isFound(entry, word));
  for (const { group, isOpen } of groups) {
    const isHit = group.querySelector('li:not([hidden])') !== null;
    group.hidden = wanted.length > 0 && !isHit;
    group.open = wanted.length > 0 ? isHit : isOpen;
  }
  nothing.hidden = entries.some(({ item }) => !item.hidden);
}

find.parentElement.hidden = false;
find.addEventListener('input', search);
find.addEventListener('keydown', (event) => {
  const shown = [...contents.querySelectorAll('li:not([hidden]) a')];
  if (event.key === 'Enter') shown[0]?.click();
  else if (event.key === 'ArrowDown') shown[0]?.focus();
  else if (event.key === 'Escape' && find.value !== '') { find.value = ''; search(); }
  else return;
  event.preventDefault();
});
contents.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const shown = [...contents.querySelectorAll('details[open] li:not([hidden]) a')];
  const at = shown.indexOf(document.activeElement);
  if (step === undefined || at < 0) return;
  (shown[at + step] ?? (step < 0 ? find : shown[at])).focus();
  event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest('input')) return;
  if (contents.checkVisibility() === false) contents.showPopover();
  find.select();
  event.preventDefault();
});
contents.addEventListener('click', (event) => {
  if (event.target.closest('a') && contents.matches(':popover-open')) contents.hidePopover();
});

const links = new Map([...contents.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
let current;
const watched = new IntersectionObserver((seen) => {
  const top = seen.filter(({ isIntersecting }) => isIntersecting)[0]?.target;
  const link = top && links.get(top.id);
  if (!link || link === current) return;
  current?.removeAttribute('aria-current');
  current = link;
  link.setAttribute('aria-current', 'true');
  const [place, frame] = [link.getBoundingClientRect(), contents.getBoundingClientRect()];
  if (place.top < frame.top || place.bottom > frame.bottom) contents.scrollTop += place.top - frame.top - frame.height / 2;
}, { rootMargin: '-10% 0px -80% 0px' });
for (const section of document.querySelectorAll('.guide, .operation, .schema')) watched.observe(section);

try {
  if (localStorage.getItem('${signInKey}')?.includes('access_token')) {
    const link = document.querySelector('[data-account] a');
    link.textContent = 'Console';
    link.href = '${consolePath}';
  }
} catch { /* The browser refuses local storage. */ }

if (navigator.clipboard) {
  for (const figure of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('pre').textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    figure.querySelector('figcaption').append(button);
  }
}
`;
