import { announce } from './copy.ts';

/** The delay after the last typed letter, so that the page does not search for each letter. */
const delayMs = 200;
const suggestionsMax = 8;
const lettersMin = 2;
/** The maximum number of cached search answers, and their TTL. */
const answersMax = 30;
const answerTtlMs = 60_000;

interface Suggestion {
  account_id: string;
  repository_id: string;
  meta: { title?: string };
}

const answers = new Map<string, { suggestions: readonly Suggestion[]; until: number }>();

/**
 * Suggests repositories of the catalogue while the reader types, as an ARIA combobox. The suggestions also respect the
 * other fields of the form. If the reader chooses no suggestion, the form submits the typed text.
 */
export function suggestRepositories(input: HTMLInputElement): void {
  const { form } = input;
  if (form === null) return;
  const list = appendListbox(form, input);

  let shown: readonly Suggestion[] = [];
  let chosen = -1;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pending: AbortController | undefined;

  const choose = (at: number) => {
    chosen = at;
    for (const [index, option] of [...list.children].entries()) option.ariaSelected = String(index === at);
    const option = list.children[at];
    option?.scrollIntoView({ block: 'nearest' });
    if (option === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', option.id);
  };
  const show = (isShown: boolean) => {
    list.hidden = !isShown;
    input.ariaExpanded = String(isShown);
    // The list of suggestions is below its field, which can be in a row with other fields.
    const { offsetLeft, offsetTop, offsetHeight, offsetWidth } = input;
    Object.assign(list.style, { left: `${offsetLeft}px`, top: `${offsetTop + offsetHeight + 4}px` });
    list.style.width = `${offsetWidth}px`;
    choose(-1);
  };
  const close = () => {
    clearTimeout(timer);
    pending?.abort();
    show(false);
  };
  const open = (suggestion: Suggestion | undefined) => {
    if (suggestion !== undefined) location.assign(pathOf(suggestion));
  };
  const suggest = async () => {
    pending = new AbortController();
    const { signal } = pending;
    const found = await suggestionsFor(form, signal).catch(() => []);
    if (signal.aborted || document.activeElement !== input) return;
    shown = found;
    list.replaceChildren(...found.map((suggestion, at) => optionOf(suggestion, `${list.id}-${at}`)));
    show(found.length > 0);
    announce(found.length === 1 ? '1 suggestion' : `${found.length} suggestions`);
  };

  input.addEventListener('input', () => {
    clearTimeout(timer);
    pending?.abort();
    if (input.value.trim().length < lettersMin) return close();
    timer = setTimeout(suggest, delayMs);
  });
  input.addEventListener('keydown', (event) => {
    if (list.hidden || event.isComposing) return;
    // The arrow keys move through the suggestions and the field itself, so there is one position more than suggestions.
    const stops = shown.length + 1;
    if (event.key === 'ArrowDown') choose(((chosen + 2) % stops) - 1);
    else if (event.key === 'ArrowUp') choose(((chosen + stops) % stops) - 1);
    else if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && chosen >= 0) open(shown[chosen]);
    else return;
    event.preventDefault();
  });
  input.addEventListener('blur', close);
  form.addEventListener('submit', close);
  // Keep the focus in the field, so that the suggestions stay open until the click.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', ({ target }) => {
    open(shown[[...list.children].indexOf((target as Element).closest('li') as Element)]);
  });
}

/** Adds an empty list of suggestions to a form, and connects its field to the list. */
function appendListbox(form: HTMLFormElement, input: HTMLInputElement): HTMLUListElement {
  const list = document.createElement('ul');
  list.id = `suggestions-${document.querySelectorAll('.suggestions').length}`;
  list.className = 'menu suggestions';
  list.role = 'listbox';
  list.ariaLabel = 'Repositories';
  list.hidden = true;
  form.append(list);
  input.role = 'combobox';
  input.autocomplete = 'off';
  input.ariaAutoComplete = 'list';
  input.ariaExpanded = 'false';
  input.setAttribute('aria-controls', list.id);
  return list;
}

/**
 * Returns the first matches of the form's search.
 *
 * @throws Error if the service refuses the search
 */
async function suggestionsFor(form: HTMLFormElement, signal: AbortSignal): Promise<readonly Suggestion[]> {
  const fields = [...new FormData(form)].filter(([, value]) => value !== '').map(([name, value]) => [name, `${value}`]);
  const query = `${new URLSearchParams([...fields, ['limit', `${suggestionsMax}`]])}`;
  const cached = answers.get(query);
  if (cached !== undefined && cached.until > Date.now()) return cached.suggestions;
  const response = await fetch(`/api/v1/repositories?${query}`, { signal, credentials: 'omit' });
  if (!response.ok) throw new Error(`The search returned ${response.status}`);
  const suggestions = ((await response.json()) as Suggestion[]).slice(0, suggestionsMax);
  answers.delete(query);
  answers.set(query, { suggestions, until: Date.now() + answerTtlMs });
  for (const oldest of [...answers.keys()].slice(0, -answersMax)) answers.delete(oldest);
  return suggestions;
}

function optionOf(suggestion: Suggestion, id: string): HTMLElement {
  const option = document.createElement('li');
  const title = document.createElement('span');
  const name = document.createElement('span');
  title.textContent = suggestion.meta.title || suggestion.repository_id;
  name.textContent = `${suggestion.account_id}/${suggestion.repository_id}`;
  name.className = 'soft';
  option.append(title, ' ', name);
  option.role = 'option';
  option.id = id;
  return option;
}

function pathOf({ account_id, repository_id }: Suggestion): string {
  return `/${encodeURIComponent(account_id)}/${encodeURIComponent(repository_id)}`;
}
