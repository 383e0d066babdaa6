import { useState } from 'preact/hooks';
import { api, dataOf, onceOnly, type Schemas } from '../api/client.ts';
import { atField } from '../api/problem.ts';
import { Form } from '../components/form.tsx';

interface NewAccountFormProps {
  account_type: Schemas['AccountType'];
  submitLabel: string;
  summary?: string;
  idLabel?: string;
  /** The label of the field for the display name. Platform logins have no display name. */
  nameLabel?: string;
  nameHint?: string;
  onCreated: (account_id: string) => Promise<void>;
}

/** Creates an account for a user, an organization, or a platform login. */
export function NewAccountForm(props: NewAccountFormProps) {
  const { account_type, submitLabel, summary, idLabel = 'Account ID', nameLabel, nameHint, onCreated } = props;
  const [values, setValues] = useState({ account_id: '', name: '' });
  const create = async () => {
    const { account_id, name } = values;
    const body = { account_id, account_type, profile: name === '' ? {} : { name } };
    await dataOf(api.POST('/accounts', { params: { header: onceOnly() }, body })).catch((error) => {
      throw atField(error, 'account_id_taken', 'account_id');
    });
    await onCreated(account_id);
  };
  return (
    <Form
      summary={summary}
      onSubmit={create}
      submitLabel={submitLabel}
      values={values}
      onChange={setValues}
      fields={[
        {
          name: 'account_id',
          label: idLabel,
          isRequired: true,
          isVerbatim: true,
          maxLength: 40,
          hint: `${account_type === 'service' ? '' : 'Part of the URL of all its data. '}3 to 40 lowercase letters, digits and hyphens. You cannot change it later.`,
        },
        nameLabel !== undefined && {
          name: 'name',
          path: 'profile.name',
          label: nameLabel,
          maxLength: 128,
          hint: nameHint,
        },
      ]}
    />
  );
}
