import type { Schemas } from '../api/client.ts';
import { notify } from '../components/notices.tsx';
import type { MachineScope } from './scope.ts';

/**
 * The longest duration of a session, plus one minute, because the API records sign-ins with a precision of one minute.
 */
const sessionMaxMs = 12 * 3_600_000 + 60_000;

/** Returns true if a session that began at the key's last sign-in can still be valid. */
export function mayHaveSessions({ last_used_at }: { last_used_at: string | null }): boolean {
  return last_used_at !== null && Date.now() - Date.parse(last_used_at) < sessionMaxMs;
}

const ending = 'end_sessions';

/** Returns true if the user chose to end running sessions too. */
export const isEndingIn = (chosen: ReadonlySet<string>): boolean => chosen.has(ending);

/**
 * Returns the checkbox and the sentence about running sessions, for the question before a key or a workflow is revoked.
 */
export function sessionsQuestion({ account }: MachineScope, source: 'key' | 'workflow') {
  if (account.end_sessions_on_revocation) {
    return {
      choices: [],
      sentence: `The sessions of this ${source} end too, within one minute for writes and five minutes for reads.`,
    };
  }
  return {
    choices: [
      {
        name: ending,
        label: 'Also end its sessions',
        hint: `Choose this if somebody else may have its credentials. Sessions of other keys and workflows continue.`,
      },
    ],
    sentence: `Credentials that this ${source} already issued stay valid until they expire, usually within one hour, unless you end its sessions.`,
  };
}

/** Returns the query parameters of a revocation. `isEnding` also ends the running sessions. */
export const endingQuery = (isEnding: boolean): { end_sessions?: 'true' } => (isEnding ? { end_sessions: 'true' } : {});

/** Shows that a revocation has succeeded, and the API's warning if there is one. */
export function notifyEnding(
  done: string,
  { sessions_ended, warning }: Partial<Schemas['RemovedTrustedWorkflow']>,
): void {
  const ended = {
    none: '',
    source: ' Its sessions end within five minutes.',
    all: ' The list of ended keys was full: all sessions of the service account end, and its software must sign in again.',
  }[sessions_ended ?? 'none'];
  notify([done + ended, warning].filter(Boolean).join(' '));
}
