import type { ComponentChildren } from 'preact';

interface EndingProps {
  /** The text above the button that explains its effect. */
  sentence: string;
  label: string;
  /** True when the action restores something, such as enabling an account again. */
  isMending?: boolean;
  onPress: () => void;
}

/** Renders destructive actions in a separate section. */
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
