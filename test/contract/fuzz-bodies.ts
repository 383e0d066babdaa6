import fc from 'fast-check';

/** Characters of every kind, including those that cause errors in databases, logs, and terminals. */
const character = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\0', '\u0085', '\u2028', '\ufeff', '\uffff', '🌊', '"', '\\', '$', '{{', '%00'),
  },
);
const text = (lengthMax: number, lengthMin = 0) =>
  fc.string({ unit: character, minLength: lengthMin, maxLength: lengthMax }).filter((value) => {
    const { length } = Array.from(value);
    return length >= lengthMin && length <= lengthMax;
  });
const identifier = fc.stringMatching(/^[a-z0-9]{2,8}(?:-[a-z0-9]{1,8}){0,3}[a-z0-9]$/);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const profile = fc.record({
  name: optional(fc.option(text(128))),
  bio: optional(fc.option(text(200))),
  location: optional(fc.option(text(128))),
  url: optional(
    fc.option(fc.webUrl({ validSchemes: ['http', 'https'], withFragments: true, withQueryParameters: true })),
  ),
});
const texts = { title: text(60), description: text(200), tags: text(60) };
const meta = fc.record(
  {
    ...texts,
    license: fc.constantFrom('MIT', 'CC-BY-4.0', '(MIT OR Apache-2.0) AND CC0-1.0'),
    homepage: fc.webUrl(),
    doi: fc.stringMatching(/^10\.\d{4,9}\/[\x21-\x7e]{1,40}$/),
    citation: text(80, 1),
    contact: text(40, 1),
    keywords: fc.array(text(20, 1), { maxLength: 5 }),
  },
  { requiredKeys: ['title', 'description', 'tags'] },
);
const modes = fc.uniqueArray(fc.constantFrom('open', 'subscription', 'private'));
const connectionFields = {
  name: text(128, 1),
  prefix_template: optional(fc.constant('v1/{{repository.repository_id}}/{{repository.account_id}}/')),
  read_only: fc.boolean(),
  allowed_data_modes: modes,
  required_flag: optional(fc.constantFrom('admin', 'create_repositories', 'create_organizations')),
  details: fc.record({
    provider: fc.constant('s3'),
    bucket: fc.stringMatching(/^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/),
    base_prefix: fc.stringMatching(/^(?:[A-Za-z0-9_=]{1,9}\/){0,3}$/),
    region: fc.constantFrom('eu-west-1', 'us-gov-east-1'),
    endpoint: optional(fc.constantFrom('https://storage.example.org', 'https://s3.example.org:9000/')),
  }),
  authentication: fc.oneof(
    fc.record({
      type: fc.constant('s3_access_key'),
      access_key_id: fc.stringMatching(/^[\x21-\x7e]{1,40}$/),
      secret_access_key: fc.stringMatching(/^[\x21-\x7e]{1,40}$/),
    }),
    fc.record({
      type: fc.constant('s3_assume_role'),
      role_arn: fc.stringMatching(/^arn:aws(?:-cn)?:iam::\d{12}:role\/[\w+=,.@/-]{1,40}$/),
      external_id: fc.stringMatching(/^[\w+=,.@:/-]{2,40}$/),
    }),
  ),
};
const key = fc.record({
  name: text(128, 1),
  expires: fc
    .date({ min: new Date('2070-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
});

/**
 * Valid bodies of each operation, and the location where the stored values appear again: in the response, or at a path.
 */
export const validBodies: Readonly<
  Record<string, { body: fc.Arbitrary<unknown>; readBack?: string; isCreate?: true; isUnseen?: true }>
> = {
  'create-account': {
    body: fc.record({ account_id: identifier, account_type: fc.constantFrom('organization', 'service'), profile }),
    isCreate: true,
  },
  'update-account-flags': {
    body: fc.uniqueArray(fc.constantFrom('admin', 'create_repositories', 'create_organizations')),
    readBack: '/accounts/tides/flags',
  },
  'set-repository-limit': { body: fc.record({ repositories_max: fc.integer({ min: 100, max: 10_000 }) }) },
  'update-profile': { body: profile, readBack: '/accounts/tides/profile' },
  'create-account-api-key': { body: key },
  'create-repository-api-key': { body: key },
  'invite-account-member': { body: fc.record({ account_id: identifier, role: fc.constant('owners') }), isUnseen: true },
  'invite-repository-member': {
    body: fc.record({ account_id: identifier, role: fc.constant('owners') }),
    isUnseen: true,
  },
  'update-membership-role': { body: fc.constantFrom('owners', 'read_data'), isUnseen: true },
  'create-data-connection': {
    body: fc.record({ data_connection_id: identifier, ...connectionFields }),
    isCreate: true,
  },
  'create-repository': {
    body: fc.record({
      repository_id: identifier,
      data_mode: fc.constant('open'),
      meta,
      data_connection_id: fc.constant('store-one'),
    }),
    isCreate: true,
    isUnseen: true,
  },
  'update-repository': {
    // A field that is absent from the request stays unchanged. With optional fields, one run would affect the next.
    body: fc.record({ meta: fc.record(texts), state: fc.constantFrom('listed', 'unlisted') }),
    readBack: '/repositories/tides/gauges',
  },
  'change-data-mode': {
    body: fc.record({ data_mode: fc.constantFrom('open', 'private') }),
    readBack: '/repositories/tides/gauges',
  },
  // The body names the account to delete, and only a disabled account can be deleted. No account is deleted by
  // accident.
  'delete-account': { body: fc.record({ confirm: fc.constant('tides') }), isUnseen: true },
  'delete-repository': { body: fc.record({ confirm: fc.constant('tides/gauges') }), isUnseen: true },
  'offer-transfer': { body: fc.record({ to: identifier }), isUnseen: true },
  'update-data-connection': {
    body: fc.record({ data_connection_id: fc.constant('elsewhere'), ...connectionFields }),
    isUnseen: true,
  },
  // The connection's host is unreachable.
  'test-data-connection': { body: fc.record({ access: fc.constantFrom('read', 'read_write') }), isUnseen: true },
  'create-service-account': {
    body: fc.record({ name: identifier, description: optional(text(256)) }),
    isCreate: true,
  },
  'update-service-account': { body: fc.record({ description: text(256) }), readBack: '/service-accounts/tides--sync' },
  'issue-service-account-key': {
    body: fc.record({ label: text(64, 1), expiry: fc.constantFrom('30d', '90d', '1y', 'never') }),
    isUnseen: true,
  },
  'change-service-account-key-expiry': { body: fc.record({ expiry: fc.constantFrom('30d', 'never') }), isUnseen: true },
  'create-data-credentials': {
    body: fc.record({
      role: fc.constantFrom('FullAccess', 'ReadOnly'),
      purpose: optional(fc.constantFrom('page', 'link')),
      duration_seconds: optional(fc.integer({ min: 900, max: 3600 })),
    }),
    isUnseen: true,
  },
  'put-grant': { body: fc.record({ access: fc.constantFrom('read', 'read_write') }) },
  'trust-workflow': {
    body: fc.record({ repository: fc.constantFrom('a/b', 'o@1/r@2'), branch: text(40, 1) }),
    isUnseen: true,
  },
  'revoke-found-key': { body: fc.record({ key: text(60) }), isUnseen: true },
  'revoke-found-keys': {
    body: fc.record({ keys: fc.array(text(60), { minLength: 1, maxLength: 5 }) }),
    isUnseen: true,
  },
};
