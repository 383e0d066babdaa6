import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { answerOf, api, dataOf, ifUnchanged, type Schemas } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';
import { Form } from '../components/form.ts';
import { Loaded, useLoading } from '../components/loaded.ts';
import { notify } from '../components/notices.ts';
import { loadPerson } from '../person.ts';
import type { AccountViewProps } from '../routes.ts';
import { texts } from '../texts.ts';

type Flag = Schemas['AccountFlag'];

/** What an account may with it, and what it means to take it away. */
const flagWords: readonly (readonly [Flag, string, string])[] = [
  [
    'create_repositories',
    'May place repositories on storage that asks for it',
    'Without it, repositories that are there stay.',
  ],
  ['create_organizations', 'May found organizations', 'Without it, organizations that are there stay.'],
  [
    'admin',
    'Administers the platform',
    'It changes storage, flags and accounts of everybody. It gives no access to data.',
  ],
];

interface Shown {
  flags: readonly Flag[];
  etag: string | undefined;
}

/** What an account may beyond its own; administrators set it. */
export function View({ account }: AccountViewProps) {
  const path = { account_id: account.account_id };
  const loading = useLoading<Shown>(async () => {
    const { data, etag } = await answerOf(api.GET('/accounts/{account_id}/flags', { params: { path } }));
    return { flags: data, etag };
  }, [account.account_id]);
  const saved = async () => {
    await Promise.all([loading.reload(), account.reload(), loadPerson()]);
    notify(texts.saved);
  };
  return html`<${Loaded} loading=${loading}>
    ${(shown: Shown) =>
      account.may('updateAccountFlags')
        ? html`<${Editing} key=${shown.etag} ...${shown} account_id=${account.account_id} onSaved=${saved} reload=${loading.reload} />`
        : html`<${Held} flags=${shown.flags} />`}
  <//>`;
}

function Held({ flags }: { flags: readonly Flag[] }) {
  const held = flagWords.filter(([flag]) => flags.includes(flag));
  if (held.length === 0) {
    return html`<div class="empty"><p>This account has no flags. Ask whoever runs this site if it should place repositories on more storage, or found organizations.</p></div>`;
  }
  return html`<ul>${held.map(([flag, words]) => html`<li key=${flag}>${words} <code class="soft">${flag}</code></li>`)}</ul>
    <p class="soft">Administrators set them.</p>`;
}

interface EditingProps extends Shown {
  account_id: string;
  onSaved: () => Promise<void>;
  reload: () => Promise<void>;
}

function Editing({ flags, etag, account_id, onSaved, reload }: EditingProps) {
  const [draft, setDraft] = useState(flags);
  const [isStale, setStale] = useState(false);
  const toggle = (flag: Flag) =>
    setDraft(flagWords.map(([each]) => each).filter((each) => draft.includes(each) !== (each === flag)));
  const save = async () => {
    const params = { path: { account_id }, header: ifUnchanged(etag) };
    await dataOf(api.PUT('/accounts/{account_id}/flags', { params, body: [...draft] }));
    await onSaved();
  };
  const onProblem = ({ code }: Problem) => {
    setStale(code === 'stale');
    return code === 'stale';
  };
  const gained = draft.includes('admin') && !flags.includes('admin');
  return html`<${Form} onSubmit=${save} submitLabel=${texts.save} onProblem=${onProblem}>
    ${() => html`
      ${
        isStale &&
        html`<div class="notice problem" role="alert"><p>Somebody else changed the flags meanwhile.</p>
          <button type="button" class="plain" onClick=${() => void reload()}>Show what they are now</button></div>`
      }
      <fieldset class="field"><legend>What this account may</legend>
        ${flagWords.map(
          ([flag, words, note]) => html`<label class="check" key=${flag}>
            <input type="checkbox" name=${flag} checked=${draft.includes(flag)} onChange=${() => toggle(flag)} />
            <span>${words} <code class="soft">${flag}</code><br /><span class="soft">${note}</span></span></label>`,
        )}
      </fieldset>
      ${gained && html`<p class="notice">${account_id} will be able to do all that you can do here, and to take your flags away.</p>`}`}
  <//>`;
}
