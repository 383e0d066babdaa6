import { expect, test } from 'vitest';
import { createCredentialSource, type DataCredentials } from '../../../site/data/credentials.ts';

const credentialsOf = (accessKeyId: string): DataCredentials => ({
  accessKeyId,
  secretAccessKey: 'secret',
  sessionToken: 'token',
  endsAt: 3_600_000,
  clockAheadMs: 0,
});

function world() {
  const answers: ((credentials: DataCredentials) => void)[] = [];
  const source = createCredentialSource(
    () => new Promise((resolve) => answers.push(resolve)),
    () => 0,
  );
  return { source, answers };
}

test('credentials that are forgotten are asked for anew', async () => {
  const { source, answers } = world();
  const first = source.current();
  answers[0]?.(credentialsOf('first'));
  await first;
  source.forget();
  const second = source.current();
  answers[1]?.(credentialsOf('second'));
  expect(await second).toMatchObject({ accessKeyId: 'second' });
});

test('credentials that come after they were forgotten are given to nobody and not kept', async () => {
  const { source, answers } = world();
  const asked = source.current();
  source.forget();
  const after = source.current();
  answers[0]?.(credentialsOf('first'));
  await expect(asked).rejects.toMatchObject({ kind: 'signed_out' });
  expect(answers).toHaveLength(2);
  answers[1]?.(credentialsOf('second'));
  expect(await after).toMatchObject({ accessKeyId: 'second' });
  expect(await source.current()).toMatchObject({ accessKeyId: 'second' });
});
