import type { ComponentChildren } from 'preact';

interface EndingProps {
  /** What it does, before one presses. */
  sentence: string;
  label: string;
  /** It brings back what was ended. */
  isMending?: boolean;
  onPress: () => void;
}

/** What ends something, set apart from all else. */
export function Endings({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <section class="block endings">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

export function Ending({ sentence, label, isMending = false, onPress }: EndingProps) {
  return (
    <div class="ending">
      <p>{sentence}</p>
      <button type="button" class={isMending ? 'button second' : 'button second ends'} onClick={onPress}>
        {label}
      </button>
    </div>
  );
}
