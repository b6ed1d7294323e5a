/** The logo: a creature that looks over the fence of a paddock. */
export function Logo({ size = 40 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      <rect width="64" height="64" rx="19" fill="#2c6a4e" />
      <path d="M14 44C14 27 21 15 32 15S50 27 50 44Z" fill="#f4b266" />
      <path d="M19 22Q14 12 20 10Q27 11 28 18ZM45 22Q50 12 44 10Q37 11 36 18Z" fill="#f4b266" />
      <circle cx="26" cy="30" r="3.4" fill="#352920" />
      <circle cx="38" cy="30" r="3.4" fill="#352920" />
      <circle cx="27.2" cy="28.8" r="1.1" fill="#fff" />
      <circle cx="39.2" cy="28.8" r="1.1" fill="#fff" />
      <g fill="#fdf3df">
        <rect x="6" y="39" width="52" height="6" rx="3" />
        <rect x="6" y="49" width="52" height="6" rx="3" />
        <rect x="12" y="34" width="7" height="25" rx="3.5" />
        <rect x="45" y="34" width="7" height="25" rx="3.5" />
      </g>
    </svg>
  );
}
