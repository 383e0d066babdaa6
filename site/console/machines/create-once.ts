import { useRef, useState } from 'preact/hooks';
import { onceOnly } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';

interface CreateOnce<Wanted, Made> {
  /** Creates the resource. Throws `Problem`. */
  make: (wanted: Wanted) => Promise<Made>;
  /** Handles a lost response. Pass it to the form. */
  onProblem: (problem: Problem) => boolean;
  /** The ID of a created resource whose response, with the secret, was lost. */
  lostId: string | undefined;
  /** Clears the state after the resource with the lost secret was revoked. */
  forget: () => void;
}

/**
 * Creates a resource whose secret is shown once. A retry after a lost response creates no second one. The API returns
 * the ID of the first, whose secret cannot be shown again.
 *
 * @param toBody called once for each input, because a body with the current time would be another request at each
 *   retry
 */
export function useCreateOnce<Wanted, Body, Made>(
  toBody: (wanted: Wanted) => Body,
  send: (body: Body, header: ReturnType<typeof onceOnly>) => Promise<Made>,
): CreateOnce<Wanted, Made> {
  const attempt = useRef<{ wanted: string; body: Body; header: ReturnType<typeof onceOnly> } | undefined>(undefined);
  const [lostId, setLostId] = useState<string>();
  return {
    async make(given) {
      const wanted = JSON.stringify(given);
      if (attempt.current?.wanted !== wanted) attempt.current = { wanted, body: toBody(given), header: onceOnly() };
      setLostId(undefined);
      const made = await send(attempt.current.body, attempt.current.header);
      attempt.current = undefined;
      return made;
    },
    onProblem(problem) {
      if (problem.code !== 'secret_shown_once' || problem.madeId === undefined) return false;
      setLostId(problem.madeId);
      return true;
    },
    lostId,
    forget() {
      attempt.current = undefined;
      setLostId(undefined);
    },
  };
}
