drawhitch version --log-file /nonexistent/log
