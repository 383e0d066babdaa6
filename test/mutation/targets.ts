/** Files to mutate, and the tests that must notice. Both are globs. */
interface Target {
  files: readonly string[];
  tests: readonly string[];
}

export const targets: Readonly<Record<string, Target>> = {
  permissions: {
    files: ['lib/domain/accounts/permissions.ts'],
    tests: ['test/lib/domain/accounts/permissions/matrix.test.ts', 'test/access/rules.test.ts'],
  },
  sigv4: { files: ['lib/sigv4/*.ts'], tests: ['test/lib/sigv4/*.test.ts'] },
  sts: {
    files: ['lib/sts/*.ts'],
    tests: ['test/lib/sts/*.test.ts'],
  },
  decision: {
    files: ['lib/s3/decide.ts', 'lib/domain/data/data-access.ts'],
    tests: ['test/lib/s3/{decide,operations,hidden-repositories,unsigned-requests}.test.ts'],
  },
  'cache-key': {
    files: ['lib/domain/data/open-data-cache.ts', 'lib/edge/viewer/object-request.ts', 'lib/edge/cache-policy.ts'],
    tests: ['test/lib/edge/viewer/object-request.test.ts', 'test/lib/edge/cache-control.test.ts'],
  },
  'trusted-workflows': {
    files: ['lib/domain/ci/{matching,subjects}.ts'],
    tests: ['test/lib/sts/matching.test.ts', 'test/lib/domain/ci/*.test.ts', 'test/lib/sts/ci-claims.test.ts'],
  },
};
