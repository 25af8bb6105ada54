export type Theme = 'system' | 'light' | 'dark'

const name = 'console.theme'

export function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Chooses a theme for this browser; `system` forgets the choice. */
export function setTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset.theme
    localStorage.removeItem(name)
  } else {
    document.documentElement.dataset.theme = theme
    localStorage.setItem(name, theme)
  }
}

const next = { system: 'light', light: 'dark', dark: 'system' } as const

/** Chooses the next theme; returns it. */
export function turnTheme(): Theme {
  const theme = next[currentTheme()]
  setTheme(theme)
  return theme
}
