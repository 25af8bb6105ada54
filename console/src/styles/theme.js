// Runs before the first paint; without a choice the system decides.
try {
  const theme = localStorage.getItem('console.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be forbidden.
}
