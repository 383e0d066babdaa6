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
  /** The label of the key that this one replaces. */
  label?: string;
  /** The text of a collapsible form. Without it, the form is always open. */
  summary?: string;
  /** Called after the user has stored the key, or after a key with a lost secret was revoked. */
  onDone: (made?: { key_id: string }) => Promise<unknown>;
  onCancel?: () => void;
}

/** Creates a key and shows it once, with the settings for the client software. */
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
    // Remove the secret from the page's state.
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
  // The secret dialog is outside of `details`, because a collapsed element hides its dialogs.
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
