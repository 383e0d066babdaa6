import { notify, notifyRefusal } from '../components/notices.tsx';
import { useBusy } from '../components/once.ts';

interface LostKeyProps {
  id: string;
  name: string;
  /** Revokes the key. Throws `Problem`. */
  end: () => Promise<void>;
}

/** Offers to revoke a key whose response was lost. Its secret is unknown. */
export function LostKey({ id, name, end }: LostKeyProps) {
  const { run, busy } = useBusy();
  const press = async () => {
    try {
      await end();
      notify('It is ended. Make another.');
    } catch (error) {
      notifyRefusal(error);
    }
  };
  return (
    <div class="notice problem" role="alert">
      <p>
        The key “{name}” was made, but the answer that showed it did not reach you, and nobody can show it again. End
        this key, then make another: <code>{id}</code>
      </p>
      <button type="button" class="small" {...busy} onClick={() => void run(press)}>
        Revoke the lost key
      </button>
    </div>
  );
}
