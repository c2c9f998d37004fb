export function Brand() {
  return (
    <span class="brand">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="9" class="back" />
        <path d="M10 7.5v17M22 7.5v17M10 13.5l12 5" class="sign" />
      </svg>
      Hermod
    </span>
  );
}
