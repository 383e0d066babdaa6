import { basePrefixOf } from '../../../lib/pages/site/typed-fields.ts';
import type { Schemas } from '../api/client.ts';

type Connection = Schemas['DataConnection'];
type Request = Schemas['DataConnectionRequest'];

/** The initial values of the form's controls. */
export const newDraft = {
  data_connection_id: '',
  name: '',
  bucket: '',
  base_prefix: '',
  region: '',
  endpoint: '',
  prefix_template: '',
  read_only: 'no' as 'yes' | 'no',
  allowed_data_modes: ['open', 'private'] as readonly Schemas['RepositoryDataMode'][],
  required_flag: '' as '' | NonNullable<Connection['required_flag']>,
  /** `unchanged` leaves the stored credentials as they are. The form never shows them. */
  authentication: 's3_access_key' as 'unchanged' | 'none' | 's3_access_key' | 's3_assume_role' | 's3_web_identity_role',
  access_key_id: '',
  secret_access_key: '',
  role_arn: '',
  external_id: '',
};

export type Draft = typeof newDraft;

export function draftOf({ details, ...connection }: Connection): Draft {
  return {
    ...newDraft,
    data_connection_id: connection.data_connection_id,
    name: connection.name,
    bucket: details.bucket,
    base_prefix: details.base_prefix,
    region: details.region,
    endpoint: details.endpoint ?? '',
    prefix_template: connection.prefix_template ?? '',
    read_only: connection.read_only ? 'yes' : 'no',
    allowed_data_modes: connection.allowed_data_modes,
    required_flag: connection.required_flag ?? '',
    authentication: 'unchanged',
  };
}

export function requestOf(draft: Draft): Request {
  const { bucket, base_prefix, region, endpoint, prefix_template, required_flag } = draft;
  const authentication = authenticationOf(draft);
  return {
    data_connection_id: draft.data_connection_id,
    name: draft.name,
    read_only: draft.read_only === 'yes',
    allowed_data_modes: [...draft.allowed_data_modes],
    details: {
      provider: 's3',
      bucket,
      base_prefix: basePrefixOf(base_prefix),
      region,
      ...(endpoint === '' ? {} : { endpoint }),
    },
    ...(prefix_template === '' ? {} : { prefix_template }),
    ...(required_flag === '' ? {} : { required_flag }),
    ...(authentication === undefined ? {} : { authentication }),
  };
}

function authenticationOf(draft: Draft): Request['authentication'] {
  const { access_key_id, secret_access_key, role_arn, external_id } = draft;
  switch (draft.authentication) {
    case 's3_access_key':
      return { type: 's3_access_key', access_key_id, secret_access_key };
    case 's3_assume_role':
      return { type: 's3_assume_role', role_arn, external_id };
    case 's3_web_identity_role':
      return { type: 's3_web_identity_role', role_arn };
    default:
      return undefined;
  }
}
