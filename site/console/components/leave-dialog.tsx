import { leaving } from '../unsaved.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialogs.tsx';

/** Asks the user before they leave a form with unsaved input. */
export function LeaveDialog() {
  const asked = leaving.value;
  if (asked === undefined) return null;
  const stay = () => {
    leaving.value = undefined;
  };
  return (
    <Dialog title="Leave without saving?" onClose={stay}>
      <p>These fields are not saved. Their content is lost if you leave:</p>
      <ul class="stops">
        {asked.fields.map((field) => (
          <li key={field}>{field}</li>
        ))}
      </ul>
      <p class="actions">
        <Button kind="button" label="Stay" onClick={stay} />
        <Button label="Leave without saving" onClick={asked.goOn} />
      </p>
    </Dialog>
  );
}
