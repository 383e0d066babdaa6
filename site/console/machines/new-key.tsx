import { useState } from 'preact/hooks';
import { machineRecipes } from '../../../lib/pages/site/machines/recipes.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { SecretDialog } from '../components/dialogs.tsx';
import { Form } from '../components/form.tsx';
import { Loaded, type Loading, useLoading } from '../components/loaded.tsx';
import { notify } from '../components/notices.tsx';
import { useCreateOnce } from './create-once.ts';
import { expiryOptions, LostKey } from './key-parts.tsx';
import { RecipeChooser } from './recipe-chooser.tsx';

export type Settings = Schemas['ClientSettings'];

/** Loads this deployment's settings for client software that uses the service account. */
export function useSettings(service_account_id: string): Loading<Settings> {
  const params = { path: { service_account_id } };
  return useLoading(
    () => dataOf(api.GET('/service-accounts/{service_account_id}/client-settings', { params })),
    [service_account_id],
  );
}

export interface ClientProps {
  id: string;
  settings: Loading<Settings>;
  s3Uri: string;
}

/** Shows the settings for software that signs in with a key. These settings never contain the key itself. */
export function ClientSettings({ id, settings, s3Uri }: ClientProps) {
  return (
    <Loaded loading={settings}>
      {(loaded) => <RecipeChooser recipes={machineRecipes({ service_account_id: id, ...loaded, s3Uri })} />}
    </Loaded>
  );
}

interface NewKeyFormProps extends ClientProps {
  /** The label of the key that this one replaces. */
  label?: string;
  /** The label of the element that opens a collapsible form. Without it, the form is always open. */
  summary?: string;
  /**
   * Called after the user has confirmed that they stored the key, or after they revoked a key whose secret was lost.
   */
  onDone: (created?: { key_id: string }) => Promise<unknown>;
}

/** Creates a key and shows it once, with the settings for the client software. */
export function NewKeyForm({ label = '', summary, onDone, ...client }: NewKeyFormProps) {
  const [values, setValues] = useState<Schemas['ServiceAccountKeyRequest']>({ label, expiry: '90d' });
  const [shown, setShown] = useState<Schemas['NewServiceAccountKey']>();
  const path = { service_account_id: client.id };
  const once = useCreateOnce(
    (wanted: typeof values) => wanted,
    (body, header) =>
      dataOf(api.POST('/service-accounts/{service_account_id}/keys', { params: { path, header }, body })),
  );
  const stored = async () => {
    notify(`The key “${shown?.label}” is created.`);
    // Remove the secret from the page's state, because the user has stored the key.
    setShown(undefined);
    setValues({ ...values, label: '' });
    await onDone(shown);
  };
  const revokeLost = async () => {
    const params = { path: { ...path, key_id: once.lostId ?? '' } };
    await dataOf(api.DELETE('/service-accounts/{service_account_id}/keys/{key_id}', { params }));
    once.forget();
    await onDone();
  };
  // The secret dialog must be outside of `details`, because a collapsed `details` element hides the dialogs in it.
  return (
    <>
      <Form
        summary={summary}
        onSubmit={async () => setShown(await once.make(values))}
        submitLabel="Create key"
        onProblem={once.onProblem}
        values={values}
        onChange={setValues}
        fields={[
          once.lostId !== undefined && <LostKey id={once.lostId} name={values.label} revoke={revokeLost} />,
          {
            name: 'label',
            label: 'Label',
            isRequired: true,
            maxLength: 64,
            hint: 'Where the key is used. Create one key for each computer.',
          },
          { name: 'expiry', label: 'Expires', options: expiryOptions, hint: 'You can change this later.' },
        ]}
      />
      {shown !== undefined && (
        <SecretDialog title={`The key “${shown.label}”`} values={[['Key', shown.key]]} onClose={() => void stored()}>
          <ClientSettings {...client} />
        </SecretDialog>
      )}
    </>
  );
}
