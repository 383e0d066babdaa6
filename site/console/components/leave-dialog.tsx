import { texts } from '../texts.ts';
import { leaving } from '../unsaved.ts';
import { Dialog } from './dialogs.tsx';

/** Asks the user before they leave a form with unsaved input. */
export function LeaveDialog() {
  const asked = leaving.value;
  if (asked === undefined) return null;
  const stay = () => {
    leaving.value = undefined;
  };
  return (
    <Dialog title={texts.leaveTitle} onClose={stay}>
      <p>{texts.leaveLead}</p>
      <ul class="stops">
        {asked.fields.map((field) => (
          <li key={field}>{field}</li>
        ))}
      </ul>
      <p class="actions">
        <button type="button" class="button" onClick={stay}>
          {texts.stay}
        </button>
        <button type="button" class="button second" onClick={asked.goOn}>
          {texts.leave}
        </button>
      </p>
    </Dialog>
  );
}
