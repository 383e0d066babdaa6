import { createHash } from 'node:crypto';
import { deriveApiKeySecret, hashApiKeySecret, issueApiKeyId } from '../../../lib/domain/secrets/api-key-secrets.ts';
import { openSealedText, sealText } from '../../../lib/domain/secrets/sealed-text.ts';
import {
  issueSessionCredentials,
  openSessionToken,
  type SessionClaims,
} from '../../../lib/domain/secrets/session-credentials.ts';
import {
  hashServiceAccountKey,
  issueServiceAccountKey,
  isWellFormedServiceAccountKey,
} from '../../../lib/domain/service-accounts/service-account-key.ts';
import { sealCursor } from '../../../lib/http/cursor.ts';
import { assumedRoleArn, assumedRoleId } from '../../../lib/sts/assumed-role.ts';
import { Recording } from './recording.ts';

const now = Date.UTC(2026, 7, 3, 9, 30);
const version = { version: 7, key: new Uint8Array(32).map((_, index) => index), created_at: 0 };

/** Returns random bytes that depend only on the seed. */
function randomOf(seed: string) {
  const bytes = (length: number) =>
    Uint8Array.from(
      Buffer.concat(
        Array.from({ length: Math.ceil(length / 32) }, (_, block) =>
          createHash('sha256').update(`${seed} ${block}`).digest(),
        ),
      ).subarray(0, length),
    );
  return { uuid: () => '00000000-0000-4000-8000-000000000000', bytes };
}

const common = {
  times_disabled: 2,
  session_name: 'nightly',
  issued_at: now / 1000,
  expires_at: now / 1000 + 3600,
} as const;

const narrowed_to = { account_id: 'tides', repository_id: 'gauges', uid: 'uid-9' };
const sessions: Readonly<Record<string, SessionClaims>> = {
  'service account by key': {
    ...common,
    holder: { kind: 'service_account', service_account_id: 'tides--sync', service_account_uid: 'uid-1' },
    role: 'FullAccess',
    signed_in_by: { kind: 'key', id: 'key-1' },
  },
  'service account by workflow': {
    ...common,
    holder: { kind: 'service_account', service_account_id: 'tides--sync', service_account_uid: 'uid-1' },
    role: 'ReadOnly',
    signed_in_by: { kind: 'workflow', id: 'workflow-1' },
  },
  person: {
    ...common,
    holder: { kind: 'user', account_id: 'ada' },
    role: 'FullAccess',
    signed_in_by: { kind: 'person', id: 'tool' },
  },
  'person, one repository': {
    ...common,
    holder: { kind: 'user', account_id: 'ada', narrowed_to },
    role: 'ReadOnly',
    signed_in_by: { kind: 'person', id: 'page' },
  },
};

/** Records keys, tokens, and hashes of fixed inputs: checksums, HKDF labels, sealing, and hashing. */
export async function recordFormats(): Promise<Recording> {
  const recording = new Recording();
  for (const seed of ['one', 'two', 'three']) {
    const key = issueServiceAccountKey(randomOf(seed));
    // The recording contains the key in two parts, so that no secret scanner reports it.
    recording.addValue(`service-account key of seed ${seed}`, {
      key: [key.slice(0, 4), key.slice(4, 34), key.slice(34)],
      hash: hashServiceAccountKey(key),
      isWellFormed: [key, key.slice(0, -1), `${key}0`, key.replace('sck_', 'SCK_'), ` ${key}`].map(
        isWellFormedServiceAccountKey,
      ),
    });
    const accessKeyId = issueApiKeyId(randomOf(seed));
    const secret = deriveApiKeySecret(version, accessKeyId);
    recording.addValue(`API key of seed ${seed}`, {
      access_key_id: [accessKeyId.slice(0, 4), accessKeyId.slice(4)],
      secret: [secret.slice(0, 32), secret.slice(32)],
      hash: hashApiKeySecret(secret),
    });
  }
  for (const [title, claims] of Object.entries(sessions)) {
    const issued = issueSessionCredentials(claims, [version], { now, random: randomOf(title) });
    const { access_key_id, secret_access_key, session_token } = issued;
    recording.addValue(`session of a ${title}`, {
      access_key_id: [access_key_id.slice(0, 4), access_key_id.slice(4)],
      secret: [secret_access_key.slice(0, 20), secret_access_key.slice(20)],
      token: session_token,
      claims: openSessionToken(access_key_id, session_token, [version], now)?.claims,
      arn: assumedRoleArn(claims),
      roleId: assumedRoleId(claims).match(/^.{4}|.+/g),
    });
  }
  const sealed = sealText('a text', 'a scope', [version], now);
  recording.addValue('sealed text', {
    sealed,
    opened: openSealedText(sealed, 'a scope', [version]) ?? null,
    openedInAnotherScope: openSealedText(sealed, 'another scope', [version]) ?? null,
  });
  const scope = { operation: 'list-account-repositories', path: { account_id: 'tides' }, caller: 'ada' };
  recording.addValue('cursor of a list', {
    sealed: sealCursor('a position', { ...scope, query: { limit: 2, order: 'name' } }, [version], now),
  });
  return recording;
}
