import { expect, test } from 'vitest';
import { CredentialSource, type DataCredentials } from '../../../site/data/credentials.ts';

const credentialsOf = (accessKeyId: string): DataCredentials => ({
  accessKeyId,
  secretAccessKey: 'secret',
  sessionToken: 'token',
  endsAt: 3_600_000,
  clockAheadMs: 0,
});

function fixture() {
  const answers: ((credentials: DataCredentials) => void)[] = [];
  const source = new CredentialSource(
    () => new Promise((resolve) => answers.push(resolve)),
    () => 0,
  );
  return { source, answers };
}

test('the client requests new credentials after a sign-out', async () => {
  const { source, answers } = fixture();
  const first = source.current();
  answers[0]?.(credentialsOf('first'));
  await first;
  source.forget();
  const second = source.current();
  answers[1]?.(credentialsOf('second'));
  expect(await second).toMatchObject({ accessKeyId: 'second' });
});

test('the client discards credentials that arrive after a sign-out', async () => {
  const { source, answers } = fixture();
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
