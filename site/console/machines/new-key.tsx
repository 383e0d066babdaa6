import { useState } from 'preact/hooks';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { SecretDialog } from '../components/dialogs.tsx';
import { Field, Form } from '../components/form.tsx';
import type { Loading } from '../components/loaded.tsx';
import { notify } from '../components/notices.tsx';
import { ClientSettings, type Settings } from './client-settings.tsx';
import { useCreateOnce } from './create-once.ts';
import { expiryOptions } from './key-texts.ts';
import { LostKey } from './lost-key.tsx';

type NewKey = Schemas['NewServiceAccountKey'];
type Wanted = Schemas['ServiceAccountKeyRequest'];

interface NewKeyFormProps {
  id: string;
  settings: Loading<Settings>;
  s3Uri: string;
  /** Of the key that it replaces. */
  label?: string;
  /** What unfolds it; it is there at once without. */
  summary?: string;
  /** After the key was stored and the dialog closed, or one that nobody has was ended. */
  onDone: (made?: { key_id: string }) => Promise<unknown>;
  onCancel?: () => void;
}

/** Makes a key and shows it once, with the settings of the software that is to have it. */
export function NewKeyForm({ id, settings, s3Uri, label: given = '', summary, onDone, onCancel }: NewKeyFormProps) {
  const [label, setLabel] = useState(given);
  const [expiry, setExpiry] = useState<Schemas['KeyExpiry']>('90d');
  const [shown, setShown] = useState<NewKey>();
  const path = { service_account_id: id };
  const { make, onProblem, lostId, forget } = useCreateOnce(
    (wanted: Wanted) => wanted,
    (body, header) =>
      dataOf(api.POST('/service-accounts/{service_account_id}/keys', { params: { path, header }, body })),
  );
  const issue = async () => setShown(await make({ label, expiry }));
  const stored = async () => {
    const { key_id, label: made } = shown ?? {};
    // Nothing of the secret is left from here on.
    setShown(undefined);
    setLabel('');
    notify(`The key “${made}” is made.`);
    await onDone(key_id === undefined ? undefined : { key_id });
  };
  const endLost = async () => {
    const params = { path: { ...path, key_id: lostId ?? '' } };
    await dataOf(api.DELETE('/service-accounts/{service_account_id}/keys/{key_id}', { params }));
    forget();
    await onDone();
  };
  const form = (
    <>
      {lostId !== undefined && <LostKey id={lostId} name={label} end={endLost} />}
      <Form onSubmit={issue} submitLabel="Make the key" onProblem={onProblem} onCancel={onCancel}>
        {(problem) => (
          <>
            <Field
              label="Label"
              name="label"
              value={label}
              onChange={setLabel}
              problem={problem}
              isRequired
              maxLength={64}
              hint="Where the key will lie: one key for each place."
            />
            <Field
              label="It expires"
              name="expiry"
              value={expiry}
              onChange={setExpiry}
              problem={problem}
              kind="select"
              options={expiryOptions}
              hint="You can change it later: the days then count from that day."
            />
          </>
        )}
      </Form>
    </>
  );
  // The key stands outside: what is folded away shows no dialog.
  return (
    <>
      {summary === undefined ? (
        form
      ) : (
        <details class="create">
          <summary>{summary}</summary>
          {form}
        </details>
      )}
      {shown !== undefined && (
        <SecretDialog title={`The key “${shown.label}”`} values={[['Key', shown.key]]} onClose={() => void stored()}>
          <ClientSettings id={id} settings={settings} s3Uri={s3Uri} />
        </SecretDialog>
      )}
    </>
  );
}
