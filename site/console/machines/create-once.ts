import { useRef, useState } from 'preact/hooks';
import { onceOnly } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';

interface CreateOnce<Wanted, Made> {
  /** Creates the resource. Throws `Problem`. */
  make: (wanted: Wanted) => Promise<Made>;
  /** Handles the error of a retry after a lost response. Pass it to the form. */
  onProblem: (problem: Problem) => boolean;
  /** The ID of a resource that the API created although the response, which contained its secret, was lost. */
  lostId: string | undefined;
  /** Clears the state. Call it after the user has revoked the resource with the lost secret. */
  forget: () => void;
}

/**
 * Creates a resource whose secret the API returns only once. If the response is lost, a retry creates no second
 * resource. The API then returns the ID of the first one, but its secret cannot be shown again.
 *
 * @param toBody builds the request body. Called once for each input. A retry sends the same body again, because the API
 * would treat a body with a new time as another request.
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
