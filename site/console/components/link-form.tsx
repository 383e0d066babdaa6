import { useState } from 'preact/hooks';
import { linkPath } from '../../../lib/pages/site/link-path.ts';
import type { RepositoryPath } from '../../data/keys.ts';
import { api, dataOf, onceOnly } from '../api/client.ts';
import { SecretDialog } from './dialogs.tsx';
import { Form } from './form.tsx';

const dayOptions = ['1', '2', '3', '7'].map((days) => [days, days === '1' ? '1 day' : `${days} days`] as const);

interface LinkFormProps {
  location: RepositoryPath;
  /** The folder or file that the link shows. If undefined, the form has a field for it. */
  prefix?: string;
  summary?: string;
  onCancel?: () => void;
  /** Called with the URL of the new link. No later API response contains this URL. */
  onCreated: (url: string) => unknown;
}

/** Renders a form that creates a link to private data. */
export function LinkForm({ location: path, prefix, summary, onCancel, onCreated }: LinkFormProps) {
  const [values, setValues] = useState({ prefix: prefix ?? '', note: '', expires_in_days: '7' });
  const create = async () => {
    const body = { ...values, expires_in_days: Number(values.expires_in_days) };
    const created = await dataOf(
      api.POST('/repositories/{account_id}/{repository_id}/links', { params: { path, header: onceOnly() }, body }),
    );
    await onCreated(`${location.origin}${linkPath(created.link_id)}#${created.secret}`);
  };
  return (
    <Form
      summary={summary}
      submitLabel="Share link"
      values={values}
      onChange={setValues}
      onSubmit={create}
      onCancel={onCancel}
      losesNothing={onCancel !== undefined}
      fields={[
        prefix === undefined && {
          name: 'prefix',
          label: 'Folder or file',
          isVerbatim: true,
          hint: 'A folder ends in /. Empty means all files of the repository.',
        },
        { name: 'expires_in_days', label: 'Expires after', options: dayOptions },
        { name: 'note', label: 'Note', hint: 'Only members see it, such as the name of the reader.' },
      ]}
    />
  );
}

/** Shows the URL of a new link once. */
export function NewLinkDialog({ url, onClose }: { url: string; onClose: () => void }) {
  return <SecretDialog title="The link" values={[['Link', url]]} onClose={onClose} />;
}
