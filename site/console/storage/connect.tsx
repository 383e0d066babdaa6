import { useState } from 'preact/hooks';
import { proposedId } from '../../../lib/pages/site/typed-fields.ts';
import { api, dataOf, onceOnly } from '../api/client.ts';
import { atField, Problem, problemOf } from '../api/problem.ts';
import { Form } from '../components/form.tsx';
import { Guide } from '../components/guide.tsx';
import { idField, nameField } from '../platform/connection-form.tsx';
import { goTo } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';
import { dataModes } from '../views/data-modes.ts';
import { connectionPath, stepTitles } from './connection-parts.tsx';
import { newOwnDraft, type OwnDraft, ownRequestOf } from './own-draft.ts';
import { AccessChoice, accessFields, bucketFields, kindsOf, ProviderChoice, usageField } from './own-form.tsx';

/**
 * Shows the first step of connecting storage. This step stores a draft, and then opens the draft's view, which has the
 * other steps. After a reload, the user continues with the same draft.
 */
export function View({ account: { account_id, name } }: AccountViewProps) {
  const [draft, setDraft] = useState(newOwnDraft);
  const { storage, ...later } = stepTitles({
    isByRole: draft.authentication === 's3_web_identity_role',
    isReadOnly: draft.read_only === 'yes',
  });
  return (
    <>
      <p class="lead">
        The data of your repositories stays in a bucket that {name} owns and pays for. This site reads and writes it for
        the users whom you allow.
      </p>
      <Guide
        label="Connect storage"
        steps={[
          {
            title: storage,
            state: 'open',
            children: <StorageForm account_id={account_id} draft={draft} onChange={setDraft} />,
          },
          ...Object.values(later).map((title) => ({ title, state: 'later' as const })),
        ]}
      />
    </>
  );
}

interface StorageFormProps {
  account_id: string;
  draft: OwnDraft;
  onChange: (draft: OwnDraft) => void;
}

function StorageForm({ account_id, draft, onChange }: StorageFormProps) {
  // The names are derived from the bucket until the user types others.
  const [own, setOwn] = useState<Partial<Names>>({});
  const proposed = namesFor(draft.bucket.trim(), own);
  const values = { ...draft, ...proposed, ...own };
  const change = (next: OwnDraft) => {
    const names = Object.keys(proposed) as (keyof Names)[];
    const typed = names.filter((name) => next[name] !== values[name]);
    setOwn({ ...own, ...Object.fromEntries(typed.map((name) => [name, next[name]])) });
    onChange(next);
  };
  const create = async () => {
    // Everybody can read a public bucket at its provider, so a repository in this bucket cannot be private.
    const modes = draft.authentication === 'none' ? (['open'] as const) : dataModes;
    const { required_flag: _, ...body } = ownRequestOf({ ...values, allowed_data_modes: modes });
    const params = { path: { account_id }, header: onceOnly() };
    await dataOf(api.POST('/accounts/{account_id}/data-connections', { params, body })).catch(shownRefusal);
    goTo(connectionPath(account_id, values.data_connection_id));
  };
  return (
    <Form
      onSubmit={create}
      submitLabel="Continue"
      values={values}
      onChange={change}
      fields={[
        <ProviderChoice draft={values} onChange={change} />,
        <AccessChoice draft={values} onChange={change} kinds={kindsOf(values)} />,
        ...bucketFields(values),
        usageField(values),
        ...accessFields(values),
        { ...nameField, hint: 'Owners and maintainers choose the storage of a new repository by this name.' },
        idField,
      ]}
    />
  );
}

type Names = Pick<OwnDraft, 'name' | 'data_connection_id' | 'role_name'>;

function namesFor(bucket: string, { name = bucket, data_connection_id = proposedId(name) }: Partial<Names>): Names {
  return { name, data_connection_id, role_name: `sluice-${data_connection_id || 'storage'}`.slice(0, roleNameMax) };
}

/** The longest name of a role (IAM user guide, "IAM and AWS STS quotas"). */
const roleNameMax = 64;

function shownRefusal(error: unknown): never {
  const problem = atField(error, 'data_connection_id_taken', 'data_connection_id');
  if (problemOf(problem).code !== 'access_denied') throw problem;
  throw new Problem(
    problem.status,
    problem.code,
    'This site does not let you connect storage. Ask an administrator to allow it for your account, or use the storage of this site.',
  );
}
