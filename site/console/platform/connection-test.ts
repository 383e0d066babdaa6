import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { formatMinute } from '../../../lib/pages/site/format.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { takeMade } from './just-made.ts';

type Test = Schemas['DataConnectionTest'];
type Check = Schemas['DataConnectionCheck'];

const checkWords: Readonly<Record<Check['check'], string>> = {
  address: 'Its name',
  reach: 'The way to it',
  region: 'Region',
  list: 'Listing',
  write: 'Writing',
  read: 'Reading',
  delete: 'Deleting',
};

const stateWords: Readonly<Record<Check['state'], string>> = {
  passed: 'Works',
  failed: 'Fails',
  not_tried: 'Not tried',
};

interface ConnectionTestProps {
  data_connection_id: string;
  isReadOnly: boolean;
  /** Of the connection as it is now; undefined before the first, and after a change. */
  test: Test | undefined;
  onTested: (test: Test) => void;
}

/** Asks the storage, and says in words what it answered. */
export function ConnectionTest({ data_connection_id, isReadOnly, test, onTested }: ConnectionTestProps) {
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const run = async (access: 'read' | 'read_write') => {
    setBusy(true);
    setProblem(undefined);
    try {
      onTested(
        await dataOf(
          api.POST('/data-connections/{data_connection_id}/test', {
            params: { path: { data_connection_id } },
            body: { access },
          }),
        ),
      );
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    if (takeMade(data_connection_id)) void run(isReadOnly ? 'read' : 'read_write');
  }, []);
  return html`<section class="block"><h2>Test</h2>
    <p>Asks the storage what it allows, without changing anything. With writing it also writes one small object directly below the base prefix, reads it and deletes it.</p>
    <p class="actions">
      <button type="button" class="button" disabled=${isBusy} onClick=${() => void run('read')}>Test reading</button>
      ${!isReadOnly && html`<button type="button" class="button second" disabled=${isBusy} onClick=${() => void run('read_write')}>Test reading and writing</button>`}
    </p>
    <div aria-live="polite" aria-busy=${isBusy}>
      ${isBusy && html`<p class="soft">The storage is asked. This takes up to fifteen seconds.</p>`}
      ${problem !== undefined && html`<div class="notice problem"><p>${problem.message}</p></div>`}
      ${!isBusy && test !== undefined && html`<${Answer} ...${test} />`}
    </div>
  </section>`;
}

function Answer({ tested_at, checks }: Test) {
  const failed = checks.filter(({ state }) => state === 'failed').length;
  const told = failed === 0 ? 'Nothing failed.' : failed === 1 ? 'One check failed.' : `${failed} checks failed.`;
  return html`<p><strong>${told}</strong> <span class="soft">${formatMinute(Date.parse(tested_at))}</span></p>
    <div class="table stacked" tabindex="0" role="region" aria-label="What the storage answered"><table class="files">
      <thead><tr><th scope="col">Check</th><th scope="col">Result</th><th scope="col">What it means</th></tr></thead>
      <tbody>${checks.map(
        ({ check, state, code, message }) => html`<tr key=${check}><td>${checkWords[check] ?? check}</td>
          <td class=${`state ${state}`}>${stateWords[state]}${code !== 'ok' && html`<br /><code>${code}</code>`}</td><td>${message}</td></tr>`,
      )}</tbody>
    </table></div>`;
}
