import react from '@vitejs/plugin-react'
import { defineConfig, type UserConfig } from 'vite'

/** The service under one origin with the page, as a reverse proxy would have it; then nothing needs CORS. */
const proxy = {
  '/api': {
    target: process.env['API_URL'] ?? 'http://localhost:3000',
    rewrite: (path: string): string => path.replace(/^\/api/, ''),
  },
}

const config: UserConfig = defineConfig({
  plugins: [react()],
  server: { proxy },
  preview: { proxy },
})

export default config
