/** The files to mutate, and the tests that must fail, as glob patterns. */
interface Target {
  files: readonly string[];
  /** Tests that can be repeated in one process, fastest first. They run with a switch for each mutant. */
  tests: readonly string[];
  /** Tests that start a service, bundle files, or take long. They run once for each remaining mutant. */
  slowTests: readonly string[];
}

export const targets: Readonly<Record<string, Target>> = {
  permissions: {
    files: ['lib/domain/accounts/permissions.ts'],
    tests: ['test/lib/domain/accounts/permissions/permissions.test.ts'],
    slowTests: [],
  },
  sigv4: {
    files: ['lib/sigv4/*.ts'],
    tests: ['test/lib/sigv4/{canonical,presented-signature,sign,verify,aws-chunked}.test.ts'],
    slowTests: [],
  },
  sts: {
    files: [
      'lib/sts/{assumed-role,caller-identity,ci-identity,compact-token,exchange,issuer-keys,parse,sign-in}.ts',
      'lib/sts/{throttle,token-verifier,user-token}.ts',
    ],
    tests: [
      'test/lib/sts/{parse,assumed-role,throttle,issuer-keys,caller-identity,key-exchange,user-exchange,ci-exchange}.test.ts',
      'test/lib/sts/{registered-issuers,several-issuers,ci-claims,token-verifier,issued-credentials}.test.ts',
    ],
    slowTests: [],
  },
  decision: {
    files: ['lib/s3/decide.ts', 'lib/domain/data/data-access.ts'],
    tests: ['test/lib/domain/data/data-rights.test.ts', 'test/lib/s3/{decide,operations,unsigned-requests}.test.ts'],
    slowTests: [],
  },
  'cache-key': {
    files: ['lib/domain/data/open-data-cache.ts', 'lib/edge/viewer/object-request.ts', 'lib/edge/cache-policy.ts'],
    tests: [
      'test/lib/domain/data/open-data-cache.test.ts',
      'test/lib/edge/{cache-policy,viewer/object-request}.test.ts',
    ],
    slowTests: [],
  },
  'trusted-workflows': {
    files: ['lib/domain/ci/matching.ts'],
    tests: [
      'test/lib/domain/ci/{matching,sign-in-differences,subjects}.test.ts',
      'test/lib/sts/{matching,ci-claims}.test.ts',
    ],
    slowTests: [],
  },
};
