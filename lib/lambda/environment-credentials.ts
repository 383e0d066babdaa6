import type { SigningCredentials } from '../sigv4/sign.ts';

let held: SigningCredentials | undefined;

/**
 * Returns the AWS credentials that Lambda sets in the environment. Returns one object until they change, because
 * derived signing keys are cached with this object.
 */
export function readEnvironmentCredentials(): SigningCredentials {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) throw new Error('Lambda sets credentials in the environment');
  const isHeld =
    held?.access_key_id === AWS_ACCESS_KEY_ID &&
    held.secret_access_key === AWS_SECRET_ACCESS_KEY &&
    (held.session_token ?? '') === (AWS_SESSION_TOKEN ?? '');
  if (held !== undefined && isHeld) return held;
  held = {
    access_key_id: AWS_ACCESS_KEY_ID,
    secret_access_key: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN ? { session_token: AWS_SESSION_TOKEN } : {}),
  };
  return held;
}

/**
 * Replaces the AWS SDK's chain of credential providers in bundles. The chain (profiles, SSO, instance metadata) would
 * take a sixth of a bundle.
 */
export function defaultProvider() {
  return async () => {
    const { access_key_id, secret_access_key, session_token } = readEnvironmentCredentials();
    return {
      accessKeyId: access_key_id,
      secretAccessKey: secret_access_key,
      ...(session_token === undefined ? {} : { sessionToken: session_token }),
    };
  };
}
