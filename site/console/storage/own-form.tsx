import { withoutScheme } from '../../../lib/pages/site/links.ts';
import { Choice, type ChoiceOption } from '../components/choice.tsx';
import type { FormField } from '../components/form.tsx';
import {
  basePrefixField,
  bucketField,
  endpointField,
  keyFields,
  regionField,
  usageOptions,
} from '../platform/connection-form.tsx';
import { fitted, type OwnDraft } from './own-draft.ts';
import { detailsOf, hasRoles, offeredPresets, presetNamed } from './providers.ts';

type Fields = readonly FormField<OwnDraft>[];

interface PartProps {
  draft: OwnDraft;
  onChange: (draft: OwnDraft) => void;
}

/** The default kind of access of a new connection. Not every provider supports it. */
const bestAccess = 's3_web_identity_role';

const testedLabels = { directly: 'tested', 'with emulators': 'tested with emulators', no: undefined } as const;

/** Lets the user choose the kind of storage, and shows what is known about it. */
export function ProviderChoice({ draft, onChange, isStored = false }: PartProps & { isStored?: boolean }) {
  return (
    <>
      <Choice
        legend="Provider"
        name="provider"
        value={draft.provider}
        options={offeredPresets().map(({ id, name, tested }) => ({
          value: id,
          label: name,
          badge: testedLabels[tested],
        }))}
        onChange={(provider) =>
          onChange(isStored ? { ...draft, provider } : fitted({ ...draft, provider, authentication: bestAccess }))
        }
      />
      <ProviderFacts id={draft.provider} />
    </>
  );
}

function ProviderFacts({ id }: { id: string }) {
  const { name, differences, sources, tested } = presetNamed(id);
  if (tested !== 'no') return null;
  return (
    <div class="subject">
      <p>
        <span class="badge">untested</span> No test of this software uses {name}. Your own test shows what works.
      </p>
      {differences.length > 0 && (
        <ul>
          {differences.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      {sources.length > 0 && (
        <p class="soft">
          {sources.length === 1 ? 'Source: ' : 'Sources: '}
          {sources.map((source, index) => (
            <>
              {index > 0 && ', '}
              <a href={source}>{withoutScheme(source)}</a>
            </>
          ))}
        </p>
      )}
    </div>
  );
}

const accessOptions = {
  s3_web_identity_role: {
    label: 'AWS role',
    badge: 'recommended',
    note: 'No secret is stored. AWS issues credentials for an hour, for this bucket and prefix only. You can end the access in AWS at any time.',
  },
  s3_access_key: {
    label: 'Access key',
    note: 'The secret is stored encrypted until you replace it. Create a key that reaches only this bucket.',
  },
  none: {
    label: 'None: the bucket is public',
    note: 'Read-only. Everybody can already read the bucket at its provider.',
  },
} as const satisfies Partial<Record<OwnDraft['authentication'], Omit<ChoiceOption<string>, 'value'>>>;

/** Lets the user choose how the service authenticates at the storage. */
export function AccessChoice({
  draft,
  onChange,
  kinds,
}: PartProps & { kinds: readonly (keyof typeof accessOptions)[] }) {
  return (
    <Choice<OwnDraft['authentication']>
      legend="Access"
      name="authentication.type"
      value={draft.authentication}
      options={kinds.map((value) => ({ value, ...accessOptions[value] }))}
      onChange={(authentication) => onChange(fitted({ ...draft, authentication, read_only: 'no' }))}
    />
  );
}

/** Returns the kinds of access that a provider has. The recommended one comes first. */
export function kindsOf({ provider }: OwnDraft): (keyof typeof accessOptions)[] {
  return [...(hasRoles(provider) ? (['s3_web_identity_role'] as const) : []), 's3_access_key', 'none'];
}

/** The fields of a role that the user creates in the next step, or of an existing key. */
export function accessFields({ authentication }: OwnDraft): Fields {
  if (authentication === 's3_access_key') return keyFields;
  if (authentication !== 's3_web_identity_role') return [];
  const exact = { isVerbatim: true, isRequired: true };
  return [
    {
      name: 'aws_account_id',
      path: 'authentication.role_arn',
      label: 'AWS account ID',
      hint: 'The 12 digits of your AWS account. The AWS console shows them in the menu at the top right.',
      ...exact,
    },
    { name: 'role_name', label: 'Name of the role', hint: 'You create this role in the next step.', ...exact },
  ];
}

/**
 * Returns the field that makes the connection read-only or writable. Without credentials there is no choice: the
 * connection is read-only.
 */
export function usageField({ authentication }: OwnDraft): Fields[number] {
  return authentication !== 'none' && { name: 'read_only', label: 'Use', options: usageOptions };
}

/** The fields of the bucket. If the provider determines the endpoint, the user need not type it. */
export function bucketFields(draft: OwnDraft): Fields {
  const { endpoint, region, regionHint = '' } = presetNamed(draft.provider);
  const isOfAccount = endpoint?.includes('<account>') ?? false;
  const shown = <Endpoint of={draft} />;
  return [
    endpoint === '' && endpointField,
    isOfAccount && {
      name: 'endpoint_account',
      path: 'details.endpoint',
      label: 'Account at the provider',
      isVerbatim: true,
      isRequired: true,
      hint: shown,
    },
    bucketField,
    region === undefined && regionField(regionHint),
    !isOfAccount && Boolean(endpoint) && <p class="hint">{shown}</p>,
    basePrefixField(draft, 'Optional: a folder for all data, such as “sluice/”. Choose one without objects.'),
  ];
}

function Endpoint({ of }: { of: OwnDraft }) {
  const { endpoint } = detailsOf({ ...of, endpoint_account: of.endpoint_account || '…', region: of.region || '…' });
  return (
    <>
      The endpoint is <code>{endpoint}</code>.
    </>
  );
}
