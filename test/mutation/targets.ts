/** Files to mutate, and the tests that must fail. Both are globs. */
interface Target {
  files: readonly string[];
  tests: readonly string[];
}

export const targets: Readonly<Record<string, Target>> = {
  permissions: {
    files: ['lib/domain/accounts/permissions.ts'],
    tests: [
      'test/lib/domain/accounts/permissions/matrix.test.ts',
      'test/access/rules.test.ts',
      'test/functions/data-connections/data-connections.test.ts',
      'test/lib/store/visible-repositories.test.ts',
      'test/contract/authorization.test.ts',
    ],
  },
  sigv4: { files: ['lib/sigv4/*.ts'], tests: ['test/lib/sigv4/*.test.ts'] },
  sts: {
    files: [
      'lib/sts/{assumed-role,caller-identity,ci-identity,compact-token,exchange,issuer-keys,parse,sign-in}.ts',
      'lib/sts/{throttle,token-verifier,user-token}.ts',
    ],
    tests: ['test/lib/sts/*.test.ts'],
  },
  decision: {
    files: ['lib/s3/decide.ts', 'lib/domain/data/data-access.ts'],
    tests: [
      'test/lib/s3/{decide,operations,hidden-repositories,unsigned-requests}.test.ts',
      'test/lib/s3/objects/*.test.ts',
      'test/lib/domain/data/data-rights.test.ts',
      'test/lib/edge/viewer/object-request.test.ts',
      'test/lib/edge/object-handler.test.ts',
      'test/slice/object-refusals.test.ts',
      'test/access/rules.test.ts',
    ],
  },
  'cache-key': {
    files: ['lib/domain/data/open-data-cache.ts', 'lib/edge/viewer/object-request.ts', 'lib/edge/cache-policy.ts'],
    tests: [
      'test/lib/edge/viewer/object-request.test.ts',
      'test/lib/edge/cache-control.test.ts',
      'test/lib/stacks/edge/edge-stack.test.ts',
    ],
  },
  'trusted-workflows': {
    files: ['lib/domain/ci/matching.ts'],
    tests: ['test/lib/sts/{matching,ci-claims,ci-exchange,registered-issuers}.test.ts', 'test/lib/domain/ci/*.test.ts'],
  },
};
