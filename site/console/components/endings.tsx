import { Button } from './button.tsx';
import { type Confirmation, useConfirm } from './dialogs.tsx';
import { notifyRefusal } from './notices.tsx';

type Ending = {
  /** The text above the button that explains its effect. */
  sentence: string;
  label: string;
} & (
  | { confirmation: Confirmation }
  /** Restores something, such as enabling an account again. Needs no confirmation. */
  | { restore: () => Promise<unknown> }
);

/** Renders the destructive actions of a view in a separate section. Omits those that are false. */
export function Endings({ title, actions }: { title: string; actions: readonly (Ending | false)[] }) {
  const { confirm, confirmDialog } = useConfirm();
  const shown = actions.filter((action) => action !== false);
  if (shown.length === 0) return null;
  return (
    <section class="block endings">
      <h3>{title}</h3>
      {shown.map((action) => (
        <div class="ending" key={action.label}>
          <p>{action.sentence}</p>
          {'restore' in action ? (
            <Button label={action.label} onClick={() => void action.restore().catch(notifyRefusal)} />
          ) : (
            <Button kind="button second ends" label={action.label} onClick={() => confirm(action.confirmation)} />
          )}
        </div>
      ))}
      {confirmDialog}
    </section>
  );
}
