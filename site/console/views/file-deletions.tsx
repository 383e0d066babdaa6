import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../../lib/pages/site/format.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { useConfirm } from '../components/dialogs.tsx';
import { notify } from '../components/notices.tsx';
import type { AccountScope } from '../scopes.ts';

type Deletion = Schemas['FileDeletion'];

const readEveryMs = 5000;

const isOver = ({ state }: Deletion) => state === 'ended' || state === 'stopped';

/**
 * Shows the deletions of files that are in progress, and reads them every few seconds. Also shows the results of
 * deletions that end while the view is open.
 */
export function FileDeletions({ account: { account_id, may } }: { account: AccountScope }) {
  const [shown, show] = useState<readonly Deletion[]>([]);
  const [round, setRound] = useState(0);
  const { confirm, confirmDialog } = useConfirm();
  const isReader = may('listFileDeletions');
  useEffect(() => {
    if (!isReader) return;
    let timer: ReturnType<typeof setTimeout>;
    let isGone = false;
    const read = async (seen: ReadonlySet<string>) => {
      const params = { path: { account_id }, query: { limit: 20 } };
      const call = dataOf(api.GET('/accounts/{account_id}/file-deletions', { params }));
      // A failed request does not change the interval between requests.
      const deletions = await call.catch(() => undefined);
      if (isGone) return;
      const now = (deletions ?? []).filter((each) => seen.has(each.deletion_id) || !isOver(each));
      if (deletions !== undefined) show(now);
      if (deletions !== undefined && now.every(isOver)) return;
      const ids = deletions === undefined ? seen : new Set(now.map(({ deletion_id }) => deletion_id));
      timer = setTimeout(() => void read(ids), readEveryMs);
    };
    void read(new Set());
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [account_id, isReader, round]);
  const stop = ({ deletion_id, repository_id }: Deletion) =>
    confirm({
      title: `Stop deleting the files of ${repository_id}?`,
      action: 'Stop',
      stops: ['The other files remain in the storage. The deletion cannot be continued.'],
      onConfirm: async () => {
        const params = { path: { account_id, deletion_id } };
        await dataOf(api.POST('/accounts/{account_id}/file-deletions/{deletion_id}/stop', { params }));
        notify('The deletion stops within a minute.');
        setRound(round + 1);
      },
    });
  if (shown.length === 0) return null;
  return (
    <section class="block">
      <h3>Files being deleted</h3>
      <div role="status">
        <ul class="stops">
          {shown.map((each) => (
            <li key={each.deletion_id}>
              <strong>{each.repository_id}</strong>: {describe(each)}{' '}
              {may('stopFileDeletion') && !isOver(each) && each.state !== 'stopping' && (
                <Button
                  kind="small"
                  label="Stop …"
                  of={`deleting the files of ${each.repository_id}`}
                  onClick={() => stop(each)}
                />
              )}
            </li>
          ))}
        </ul>
      </div>
      {confirmDialog}
    </section>
  );
}

function describe({ state, files_deleted, files_left = 0, problem, stored_versions_remain }: Deletion): string {
  const deleted = counted(files_deleted, 'file');
  const versions = stored_versions_remain ? ' The bucket keeps their stored versions.' : '';
  if (state === 'ended') {
    const left = files_left === 0 ? '' : ` ${counted(files_left, 'file')} with unusual names remain in the storage.`;
    return `${deleted} deleted.${left}${versions}`;
  }
  if (state === 'stopped') return `stopped after ${deleted}. The others remain in the storage.${versions}`;
  if (state === 'stopping') return `stopping after ${deleted} …`;
  if (problem !== undefined) return `${deleted} deleted so far. ${problem.message}`;
  return state === 'waiting' ? 'starts within two minutes …' : `${deleted} deleted so far …`;
}
